package translate

import "golang.org/x/text/feature/plural"

var russianPlurals = plurals{
	"%d sites":    {plural.One, "%d сайт", plural.Few, "%d сайта", plural.Many, "%d сайтов", plural.Other, "%d сайта"},
	"of %d sites": {plural.One, "с %d сайта", plural.Other, "с %d сайтов"},
	"%d pages":    {plural.One, "%d страница", plural.Few, "%d страницы", plural.Many, "%d страниц", plural.Other, "%d страницы"},
	"%d files":    {plural.One, "%d файл", plural.Few, "%d файла", plural.Many, "%d файлов", plural.Other, "%d файла"},
	"%d opt-outs": {plural.One, "%d отказ", plural.Few, "%d отказа", plural.Many, "%d отказов", plural.Other, "%d отказа"},
	"%d URLs":     {plural.Other, "%d URL"},
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
	"end":                        "итог",
	"running":                    "работает",
	"not yet begun":              "обход ещё не начат",
	"requests":                   "запросы",
	"pages":                      "страницы",
	"needed":                     "ресурсы",
	"links":                      "ссылки",
	"job":                        "задание",
	"disk":                       "диск",
	"answers":                    "ответы",
	"reasons":                    "причины",
	"parked":                     "отложено",
	"left":                       "осталось",
	"waiting":                    "ждут",
	"twins":                      "двойники",
	"left alone":                 "исключены",
	"process %s, for %s: %s":     "процесс %s, уже %s: %s",
	"%d (%d for robots.txt%s%s)": "%d (%d за robots.txt%s%s)",
	", %d for sitemaps":          ", %d за файлами Sitemap",
	", %d for what pages need":   ", %d за ресурсами страниц",
	"%d, %d stored, %s, %.1f/s":  "%d, сохранено %d, %s, %.1f/с",
	"%d of images, styles and the like stored, which count as no pages": "" +
		"сохранено картинок, стилей и тому подобного: %d; страницами они не считаются",
	"%d found%s, %d new":       "найдено %d%s, новых %d",
	", %d of them in sitemaps": ", из них в файлах Sitemap %d",
	"%d URLs known: %d done, %d refused, %d failed, %d queued, %d to be tried again; %s %s": "" +
		"известно URL %d: обработано %d, отклонено %d, с ошибкой %d, в очереди %d, на повтор %d; %s %s",
	"ledger %s in %s (%s of records), queue %s, list of pages %s": "" +
		"журнал обхода %s: %s (%s записей), очередь %s, список страниц %s",
	"%s of places that look endless":  "%s в местах, похожих на бесконечные",
	"%s names them; %s takes them up": "%s перечислит их; %s вернёт в очередь",
	"%s until %s (in %s): %s":         "%s до %s (через %s): %s",
	", %d queued":                     ", в очереди %d",
	"and %d more, see %s":             "и ещё %d, см. %s",
	"%s and %s look like one site: %s at both; to visit one only: %s": "" +
		"%s и %s похожи на один сайт: %s есть на обоих; чтобы обходить только один: %s",
	"kept from earlier runs": "сохранены от прежних запусков",
	"from %s":                "из %s",
	"%s %s, since %s; %s refused in this run":          "%s %s, с %s; %s отклонено в этом запуске",
	"the file has a mistake, so nothing is lifted: %s": "в файле ошибка, поэтому ни одно исключение не снято: %s",
	"no seed gave a page":                              "ни один начальный адрес не дал страницы",
	"try: %s":                                          "что делать: %s",
	"%s  %.1f/s  %d queued on %s":                      "%s  %.1f/с  в очереди %d (%s)",
	"resting until %s (hours)":                         "пауза до %s (hours)",
	"%d resting (%s)":                                  "на паузе %d (%s)",
	"%d failed":                                        "с ошибкой %d",
	"ETA %s":                                           "осталось %s",
	"none":                                             "нисколько",
	"unknown: %s":                                      "неизвестно: %s",
	"at least %s":                                      "не меньше %s",
	"the queue is empty, and the last pages may bring links": "" +
		"очередь пуста, но последние страницы могут дать ссылки",
	"no page was fetched recently": "за последнее время не скачано ни одной страницы",
	"%.1f GB":                      "%.1f ГБ",
	"%.1f MB":                      "%.1f МБ",
	"%.1f kB":                      "%.1f кБ",
	"%d bytes":                     "%d Б",
	"answered %d %s":               "ответ %d %s",
	"given up: %s":                 "попытки прекращены: %s",
	"not asked for yet":            "ещё не запрашивался",
	"not asked for: %s":            "не запрашивался: %s",
	"refused: %s":                  "отклонён: %s",
	"redirects to %s: %s":          "перенаправляет на %s: %s",
	"redirects again and again, at last to %s": "перенаправляет снова и снова, в последний раз на %s",
	"look at it with: %s":                      "посмотрите на него командой: %s",
	"give %s as a seed, or --scope any":        "укажите %s как начальный адрес или задайте --scope any",
	"ask its owner; what the owner gave you to log in goes into hosts: of the configuration": "" +
		"спросите владельца; выданные им данные для входа указываются в разделе hosts: конфигурации",
	"check the address":                                     "проверьте адрес",
	"check the address: it redirects nowhere":               "проверьте адрес: перенаправление никуда не ведёт",
	"another --exclude":                                     "измените --exclude",
	"another --include":                                     "измените --include",
	"another --accept or --reject":                          "измените --accept или --reject",
	"a larger --depth":                                      "увеличьте --depth",
	"another action_links in the configuration":             "измените action_links в конфигурации",
	"nothing: its owner asked to be left alone (--opt-out)": "ничего: владелец попросил его не посещать (--opt-out)",
	"nothing: ask its owner; cybermapper robots explain shows the rules": "" +
		"ничего: спросите владельца; правила покажет cybermapper robots explain",
	"check the name": "проверьте имя",
	"check the certificate; --ca FILE trusts another authority, http:// does without": "" +
		"проверьте сертификат; --ca FILE добавляет доверенный центр, http:// обходится без него",
	"check the address and the port, then run the same command again": "" +
		"проверьте адрес и порт и запустите ту же команду ещё раз",
	"another port": "другой порт",
	"a higher bound in the section traps of the configuration": "увеличьте предел в разделе traps конфигурации",
	"a higher limit for each host":                             "увеличьте предел для каждого хоста",
	"run the same command again later":                         "запустите ту же команду позже",
	"not an http or https URL":                                 "не URL с http или https",
	"it is as it was at the visit before":                      "не изменилась с прошлого посещения",
	"it has changed since the visit before":                    "изменилась с прошлого посещения",
	"it is gone since an earlier visit":                        "исчезла после прежнего посещения",
	"it has moved since an earlier visit":                      "переехала после прежнего посещения",
	"a link out of scope, asked for to see whether it is dead": "" +
		"ссылка за границей обхода, запрошена для проверки, не битая ли она",
	"the page asks robots not to follow its links":        "страница просит роботов не переходить по её ссылкам",
	"the link is marked nofollow":                         "ссылка помечена nofollow",
	"the page asks not to be stored":                      "страница просит её не сохранять",
	"the owner asked us to stay away (opt-out)":           "владелец попросил не приходить (opt-out)",
	"following the link might do something":               "переход по ссылке мог бы выполнить действие",
	"outside the scope of the crawl":                      "за границей обхода",
	"an exclude pattern matches":                          "подходит под шаблон исключения",
	"a kind of file that is not wanted":                   "тип файла, который не нужен",
	"too many path segments: this may have no end":        "слишком много сегментов в пути: возможно, конца нет",
	"the same path segment repeats: this may have no end": "сегмент пути повторяется: возможно, конца нет",
	"too many pages that differ only in their query": "" +
		"слишком много страниц, различающихся только запросом после «?»",
	"too many pages in one directory":                       "слишком много страниц в одном каталоге",
	"the place looks endless, so it is parked":              "место похоже на бесконечное, поэтому отложено",
	"the directory serves the same content again and again": "каталог снова и снова отдаёт одно и то же",
	"only the order of parameters or a session id differs from a page that was visited": "" +
		"от уже посещённой страницы отличается только порядком параметров или идентификатором сеанса",
	"only parameters differ from a page that was visited, and robots.txt says that these change nothing": "" +
		"от уже посещённой страницы отличается только параметрами, которые, по robots.txt, ничего не меняют",
	"too many hosts of one domain":                  "слишком много хостов одного домена",
	"looks like an error page sent with status 200": "похоже на страницу ошибки, отданную с кодом 200",
	"the redirects form a loop":                     "перенаправления образуют петлю",
	"too many links from a seed":                    "слишком много ссылок от начального адреса",
	"the limit of pages for this host is reached":   "достигнут предел страниц для этого хоста",
	"the limit of bytes for this host is reached":   "достигнут предел объёма для этого хоста",
	"the limit of time for this host is reached":    "достигнут предел времени для этого хоста",
	"too many links on one page":                    "слишком много ссылок на одной странице",
	"too much that one page needs, or styles that import one another without end": "" +
		"слишком много ресурсов одной страницы или стили без конца импортируют друг друга",
	"a sitemap speaks for its own directory and for sites whose robots.txt names it": "" +
		"Sitemap говорит за свой каталог и за сайты, чей robots.txt его называет",
	"too many sites would have to be asked whether a sitemap speaks for them": "" +
		"пришлось бы спросить слишком много сайтов, говорит ли за них Sitemap",
	"too many indexes of sitemaps in a row":            "слишком много вложенных индексов Sitemap",
	"the limit of sitemaps for this site is reached":   "достигнут предел файлов Sitemap для этого сайта",
	"a private address, which --allow-private permits": "частный адрес; его разрешает --allow-private",
	"the port belongs to another service than the web": "порт принадлежит не вебу, а другой службе",
	"robots.txt does not allow it":                     "robots.txt этого не разрешает",
	"the site asks for pauses so long that only its seeds are visited": "" +
		"сайт просит таких длинных пауз, что посещаются только начальные адреса",
	"the server reported an error":               "сервер сообщил об ошибке",
	"429: the server asks us to slow down":       "429: сервер просит замедлиться",
	"503: the server asks us to come back later": "503: сервер просит прийти позже",
	"the host name has no address":               "у имени хоста нет адреса",
	"nobody accepts connections there":           "там никто не принимает соединений",
	"no answer came in time":                     "ответ не пришёл вовремя",
	"no secure connection could be made":         "не удалось установить защищённое соединение",
	"robots.txt cannot be fetched, so everything counts as disallowed": "" +
		"robots.txt получить нельзя, поэтому запрещённым считается всё",
	"robots.txt asks for visits at another time of day": "robots.txt просит приходить в другое время суток",
	"the settings (hours) name another time for it":     "настройки (hours) называют другое время",
	"401 or 403 many times in a row: the owner may not want us": "" +
		"401 или 403 много раз подряд: возможно, владелец нас не хочет",
	"choose another --job; nothing was changed": "выберите другой --job; ничего не изменено",
	"use the version of cybermapper that made it; nothing was changed": "" +
		"возьмите версию cybermapper, которая его создала; ничего не изменено",
	"take it away, or put back what was there; nothing was read or changed": "" +
		"уберите это или верните то, что было; ничего не прочитано и не изменено",
	"wait for it, stop it, or choose another --job": "дождитесь его, остановите или выберите другой --job",
	"raise the limit to continue the crawl":         "увеличьте предел, чтобы продолжить обход",
	"a seed is an absolute http or https URL, one per line": "" +
		"начальный адрес — полный URL с http или https, по одному в строке",
	"--contact you@example.org, or agent.contact in the configuration, goes into User-Agent": "" +
		"--contact you@example.org или agent.contact в конфигурации; контакт входит в User-Agent",
	"--allow-private lets cybermapper visit loopback and private addresses": "" +
		"--allow-private разрешает обходить частные адреса и адреса этой машины",
	"--fresh starts over, --again goes on":             "--fresh начинает заново, --again продолжает",
	"without --fresh the crawl goes on; --yes answers": "без --fresh обход продолжится; --yes отвечает за вас «да»",
}
