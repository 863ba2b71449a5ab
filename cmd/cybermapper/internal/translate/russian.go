package translate

import "golang.org/x/text/feature/plural"

var russianPlurals = plurals{
	"%d sites": {
		plural.One, "%d сайт",
		plural.Few, "%d сайта",
		plural.Many, "%d сайтов",
		plural.Other, "%d сайта",
	},
}

var russian = map[string]string{
	"en":                            "ru",
	"%s: about this crawler":        "%s: об этом поисковом роботе",
	"Name in robots.txt":            "Имя в файле robots.txt",
	"Purpose":                       "Цель обхода",
	"Contact":                       "Контакт",
	"Comes from":                    "Адреса, с которых приходит",
	"Keep it out":                   "Как закрыть ему доступ",
	"Slow it down":                  "Как его замедлить",
	"What it does":                  "Что он делает",
	"The key of its operator":       "Ключ оператора",
	"Verifier":                      "Ключ проверки",
	"Fingerprint":                   "Отпечаток ключа",
	"Place to discuss it in public": "Где его можно обсудить публично",
	"Was it really this crawler?":   "Действительно ли это был он?",
	"Anybody can send this name.":   "Этим именем может назваться кто угодно.",
	"If you found this name in the log of your web server, this page says what it is, and how to keep it " +
		"out.": "" +
		"Если вы нашли это имя в журнале вашего веб-сервера, здесь сказано, что это такое и как закрыть ему " +
		"доступ.",
	"Put this into %s at the top of your site. It is read again within a day.": "" +
		"Добавьте эти правила в %s в корне сайта. Файл перечитывается не реже раза в сутки.",
	"Single pages: %s, or the header %s.": "" +
		"Для отдельных страниц: %s или заголовок %s.",
	"Or write to the contact: an operator puts your host, your domain or your addresses on a list, and " +
		"within seconds nothing more is asked of them, robots.txt included.": "" +
		"Или напишите по указанному контакту: оператор внесёт ваш хост, домен или адреса в список, и через " +
		"несколько секунд к ним не будет больше ни одного запроса, даже за файлом robots.txt.",
	"The number is the least number of seconds between two requests. Status 429 or 503 with %s makes the " +
		"whole host rest.": "" +
		"Число — наименьшая пауза между двумя запросами в секундах. После ответа 429 или 503 с заголовком %s " +
		"робот на это время оставляет в покое весь хост.",
	"It reads robots.txt before anything else (RFC 9309). While that cannot be fetched, it requests " +
		"nothing else.": "" +
		"Прежде всего он читает файл robots.txt (RFC 9309). Пока этот файл получить нельзя, он не " +
		"запрашивает ничего другого.",
	"It makes one request at a time to a host, and unless the host is its operator's own, at least %s " +
		"pass between the end of one and the start of the next; more if you answer slowly.": "" +
		"К одному хосту он делает не больше одного запроса одновременно, и, если хост не принадлежит самому " +
		"оператору, между концом одного запроса и началом следующего проходит не меньше %s; больше, если " +
		"сервер отвечает медленно.",
	"It sends GET only, no forms, and cookies or credentials to no host but one that gave them to its " +
		"operator; it follows no link that looks like an action.": "" +
		"Он отправляет только запросы GET и не заполняет форм; файлы cookie и учётные данные получает от " +
		"него лишь тот хост, который сам выдал их оператору; по ссылкам, похожим на действие, он не " +
		"переходит.",
	"It keeps pages as they were sent. It runs no scripts and renders nothing.": "" +
		"Он сохраняет страницы такими, какими они были отправлены, не выполняет скриптов и не отображает " +
		"страниц.",
	"Every request is in a ledger, with the line of your robots.txt under which it was made. Ask for " +
		"yours: its operator can send you a bundle that %s judges, also against your own log.": "" +
		"Каждый запрос записан в журнал обхода вместе со строкой вашего файла robots.txt, которая его " +
		"разрешила. Попросите свою часть: оператор может прислать вам архив, который проверяет команда %s, в " +
		"том числе по вашему собственному журналу.",
	"Requests that do not come from the addresses above are not ours.": "" +
		"Запросы не с указанных выше адресов сделали не мы.",
	"Every request is signed (HTTP Message Signatures, RFC 9421; Web Bot Auth) with the key %s, so a " +
		"request without that signature is not ours.": "" +
		"Каждый запрос подписан (HTTP Message Signatures, RFC 9421; Web Bot Auth) ключом %s, поэтому запрос " +
		"без этой подписи сделали не мы.",
	"The key is published at %s.": "Ключ опубликован по адресу %s.",
	"Send the lines of your log to the contact: the ledger says whether they are ours, and %s says how " +
		"any crawler behaved.": "" +
		"Пришлите строки вашего журнала по указанному контакту: журнал обхода покажет, наши ли это запросы, " +
		"а команда %s расскажет, как вёл себя любой робот.",
	"The ledger is signed with this key, so that it cannot be rewritten without a trace. %s of that " +
		"command demands it.": "" +
		"Журнал обхода подписан этим ключом, поэтому его нельзя незаметно переписать. Параметр %s той же " +
		"команды требует этой подписи.",
	"done, but for what is parked":   "готово, кроме отложенного",
	"done: nothing is left to fetch": "готово: скачивать больше нечего",
	"some hosts must wait; run the same command again later to continue": "" +
		"некоторые хосты должны подождать; чтобы продолжить обход, запустите ту же команду позже",
	"interrupted; run the same command again to continue": "" +
		"обход прерван; чтобы продолжить, запустите ту же команду ещё раз",
	"failed: %s":              "ошибка: %s",
	"the limit %s is reached": "достигнут предел %s",
	"%s, after %s":            "%s; прошло %s",
	"killed or crashed after %s; run the same command again to continue": "" +
		"процесс завершился аварийно через %s; чтобы продолжить обход, запустите ту же команду ещё раз",
}
