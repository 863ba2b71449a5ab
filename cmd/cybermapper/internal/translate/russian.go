package translate

import "golang.org/x/text/feature/plural"

var russianPlurals = plurals{
	"%d links":    {plural.One, "%d ссылка", plural.Few, "%d ссылки", plural.Many, "%d ссылок", plural.Other, "%d ссылки"},
	"%d requests": {plural.One, "%d запрос", plural.Few, "%d запроса", plural.Many, "%d запросов", plural.Other, "%d запроса"},
	"%d times":    {plural.One, "%d раз", plural.Few, "%d раза", plural.Many, "%d раз", plural.Other, "%d раза"},
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
	"%s, %d stored, %s, %.1f/s":  "%s, сохранено %d, %s, %.1f/с",
	"%d new, %d visited again":   "новых %d, посещено снова %d",
	"%d of images, styles and the like stored, which count as no pages": "" +
		"сохранено картинок, стилей и тому подобного: %d; страницами они не считаются",
	"%d found%s, %d new":       "найдено %d%s, новых %d",
	", %d of them in sitemaps": ", из них в файлах Sitemap %d",
	"%d URLs known: %d done, %d refused, %d failed, %d queued, %d to be tried again; %s %s": "" +
		"известно URL %d: обработано %d, отклонено %d, с ошибкой %d, в очереди %d, на повтор %d; %s %s",
	"ledger %s in %s (%s of records), queue %s, list of pages %s": "" +
		"журнал обхода %s: %s (%s записей), очередь %s, список страниц %s",
	"deeper": "глубже",
	"none leads on; these sites are out of scope: %s":   "ни одна не ведёт дальше; эти сайты вне области обхода: %s",
	"as seeds they are visited; --scope any visits all": "как начальные адреса они посещаются; --scope any посещает все",
	"links that only scripts make are not seen: more seeds or --sitemaps lead there": "" +
		"ссылки, которые создают лишь скрипты, не видны: к ним ведут ещё адреса или --sitemaps",
	"no page has a link to others; those that only scripts make are not seen: seeds or --sitemaps lead there": "" +
		"ни на одной странице нет ссылок на другую; те, что создают лишь скрипты, не видны: к ним ведут ещё адреса или --sitemaps",
	"no page has a link; what only scripts make of pages, links as well as texts, is not seen": "" +
		"ни на одной странице нет ссылок; то, что создают только скрипты, и ссылки, и тексты, не видно",
	"%s beyond the depth allowed, and what they lead to": "%s глубже дозволенного, и то, куда они ведут",
	"%s takes them up, with a greater N":                 "%s вернёт их в очередь, если N больше",
	"pages ask robots not to follow their links, and no others led further": "" +
		"страницы просят роботов не переходить по их ссылкам, а другие никуда не ведут",
	"more seeds, or %s, may":          "помочь могут новые начальные адреса или %s",
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
	"seeds that gave no page: %d":                      "начальных адресов, не давших страницы: %d",
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
	"to be tried again: %s":        "будет повторено: %s",
	"not asked for yet":            "ещё не запрашивался",
	"not asked for: %s":            "не запрашивался: %s",
	"refused: %s":                  "отклонён: %s",
	"redirects to %s: %s":          "перенаправляет на %s: %s",
	"redirects again and again, at last to %s": "перенаправляет снова и снова, в последний раз на %s",
	"accept_cookies in hosts: of the configuration, in case the site wants a cookie back that it sets": "" +
		"accept_cookies в разделе hosts: конфигурации, если сайт ждёт назад свой файл cookie",
	"look at it with: %s":                    "посмотрите на него командой: %s",
	"give %s as a seed, or --scope any":      "укажите %s как начальный адрес или задайте --scope any",
	"ask its owner to let this crawler pass": "попросите владельца пропускать этого робота",
	"ask its owner; a login that you got goes into hosts: of the configuration, with --again=all": "" +
		"спросите владельца; выданные им данные для входа указываются в разделе hosts: конфигурации, с --again=all",
	"check the address; --again=all asks again":             "проверьте адрес; --again=all запросит снова",
	"check the address: it redirects nowhere":               "проверьте адрес: перенаправление никуда не ведёт",
	"another --exclude":                                     "измените --exclude",
	"another --include":                                     "измените --include",
	"another --accept or --reject, with --again=all":        "измените --accept или --reject, с --again=all",
	"a larger --depth":                                      "увеличьте --depth",
	"another action_links in the configuration":             "измените action_links в конфигурации",
	"nothing: its owner asked to be left alone (--opt-out)": "ничего: владелец попросил его не посещать (--opt-out)",
	"nothing: ask its owner; cybermapper robots explain shows the rules": "" +
		"ничего: спросите владельца; правила покажет cybermapper robots explain",
	"check the name": "проверьте имя",
	"check the certificate and your clock; --ca FILE trusts another authority, http:// does without": "" +
		"проверьте сертификат и часы этой машины; --ca FILE добавляет доверенный центр, http:// обходится без него",
	"--allow-private; a run after the rest of the site asks again, another --job at once": "" +
		"--allow-private; та же команда спросит снова после отдыха сайта, с другим --job сразу",
	"check the address and the port; a run after the rest of the site asks again, another --job at once": "" +
		"проверьте адрес и порт; та же команда спросит снова после отдыха сайта, с другим --job сразу",
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
	"it leads to a form to sign in":                       "ведёт к форме входа",
	"outside the scope of the crawl":                      "за границей обхода",
	"an exclude pattern matches":                          "подходит под шаблон исключения",
	"the feed of a part of the site":                      "лента части сайта",
	"a kind of file that is not wanted":                   "тип файла, который не нужен",
	"too many path segments: this may have no end":        "слишком много сегментов в пути: возможно, конца нет",
	"the same path segment repeats: this may have no end": "сегмент пути повторяется: возможно, конца нет",
	"too many pages that differ only in their query": "" +
		"слишком много страниц, различающихся только запросом после «?»",
	"too many pages in one directory":                       "слишком много страниц в одном каталоге",
	"the place looks endless, so it is parked":              "место похоже на бесконечное, поэтому отложено",
	"the directory serves the same content again and again": "каталог снова и снова отдаёт одно и то же",
	"only the order or repetition of parameters, or a session or campaign, differs from a page that was visited": "" +
		"от уже посещённой страницы отличается только порядком или повторением параметров либо параметром сеанса или кампании",
	"the listing of a directory that was visited, in another order": "список уже посещённого каталога в другом порядке",
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
	"its site gave one answer for all pages": "её сайт отвечал одним и тем же на все страницы",
	"a test whether there is a browser, or a human, came in its place": "" +
		"вместо этого пришла проверка, браузер ли это или человек",
	"the server reported an error":                                 "сервер сообщил об ошибке",
	"429: the server asks us to slow down":                         "429: сервер просит замедлиться",
	"the server asks us to come back later":                        "сервер просит прийти позже",
	"511: the network between us and the site wants a login first": "511: сеть перед сайтом сначала требует войти",
	"no address was found for the host name":                       "для имени хоста не найдено адреса",
	"nobody accepts connections there, or no way leads there":      "там никто не принимает соединений, или туда нет пути",
	"no answer came in time":                                       "ответ не пришёл вовремя",
	"no secure connection could be made":                           "не удалось установить защищённое соединение",
	"robots.txt cannot be fetched, so everything counts as disallowed": "" +
		"robots.txt получить нельзя, поэтому запрещённым считается всё",
	"robots.txt asks for visits at another time of day": "robots.txt просит приходить в другое время суток",
	"the settings (hours) name another time for it":     "настройки (hours) называют другое время",
	"401, 403 or a challenge many times in a row: the owner may not want us": "" +
		"401, 403 или проверка много раз подряд: возможно, владелец нас не хочет",
	"choose another --job; nothing was changed": "выберите другой --job; ничего не изменено",
	"use the version of cybermapper that made it; nothing was changed": "" +
		"возьмите версию cybermapper, которая его создала; ничего не изменено",
	"take it away, or put back what was there; nothing was read or changed": "" +
		"уберите это или верните то, что было; ничего не прочитано и не изменено",
	"choose another --job, where you may write":     "укажите другой --job, куда вам можно писать",
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
	"%s at %s: what was done, and how we know":         "%s на сайте %s: что было сделано и откуда это известно",
	"%s at %s": "%s на сайте %s",
	"The record of this crawl is broken, so nothing can be told from it, and this page tells nothing " +
		"else.": "" +
		"Журнал этого обхода повреждён, поэтому по нему ничего нельзя сказать, и эта страница больше ничего " +
		"не сообщает.",
	"Made on %s for the owner of %s. Ask the operator for an explanation.": "" +
		"Составлено %s для владельца %s. Попросите объяснений у оператора.",
	"By its record, the crawler kept every promise at %s.": "Судя по журналу, робот выполнил все обещания на %s.",
	"By its own record, the crawler broke a promise at %s: see what is refuted below.": "" +
		"По его собственному журналу, робот нарушил обещание на %s: см. ниже, что опровергнуто.",
	"Nothing in the record contradicts the promises of the crawler at %s, but not all of it can be shown.": "" +
		"Ничто в журнале не противоречит обещаниям робота на %s, но не всё можно доказать.",
	"This page is for the owner of %s. It tells what the web crawler %s did there, from the record that " +
		"it keeps of every request. The page was made on %s.": "" +
		"Эта страница — для владельца %s. Она рассказывает, что делал там поисковый робот %s, по журналу, в " +
		"который он заносит каждый запрос. Страница составлена %s.",
	"Who it was":                    "Кто это был",
	"The crawler is %s.":            "Робот: %s.",
	"Its operator gave no contact.": "Оператор не указал контакта.",
	"The record is signed by %s.":   "Журнал подписан: %s.",
	"Please write to %s.":           "Пишите по адресу %s.",
	"It came from %s.":              "Он приходил с %s.",
	"From which address it came is not in the record: a router or a proxy stood between, or an older " +
		"version did not write it down. The log of your server has it.": "" +
		"С какого адреса он приходил, в журнале нет: между ним и вами стоял маршрутизатор или прокси, или " +
		"прежняя версия этого не записывала. Адрес есть в журнале вашего сервера.",
	"These addresses of yours were asked: %s.": "Запросы шли на ваши адреса: %s.",
	"In short": "Коротко",
	"%s from %s to %s: %d for pages, %d for robots.txt. They brought %s.": "" +
		"%s с %s по %s: %d за страницами, %d за robots.txt. Получено %s.",
	"%d got no answer.": "Без ответа: %d.",
	"Between the end of a request and the start of the next %s passed at the least, %s on average. In " +
		"the busiest minute there were %s.": "" +
		"Между концом одного запроса и началом следующего проходило не меньше %s, в среднем %s. В самую " +
		"оживлённую минуту: %s.",
	"The operator has listed this site as one with a pace of its own.": "" +
		"Оператор указал для этого сайта отдельный темп.",
	"You answered within %s on average, %s at the quickest and %s at the slowest.": "" +
		"Вы отвечали в среднем за %s, быстрее всего за %s, медленнее всего за %s.",
	"Nothing was ever requested.": "Ничего не запрашивалось.",
	"%s a page was not requested because your robots.txt says so.": "" +
		"%s страница не была запрошена, потому что так сказано в вашем robots.txt.",
	"There was no link to anything that your robots.txt closes.": "" +
		"Ссылок на то, что закрывает ваш robots.txt, не было.",
	"What can be shown": "Что можно доказать",
	"All of this was worked out from the record and from the robots.txt files as they were then, by code " +
		"that is not that of the crawler.": "" +
		"Всё это выведено из журнала и файлов robots.txt, какими они тогда были, кодом, отдельным от кода " +
		"робота.",
	"%d checked":   "проверено %d",
	"%d broken":    "нарушено %d",
	"%d not known": "неизвестно %d",
	"%s the crawler ended without saying so. What was under way at your site then is in no record: at " +
		"most one request each time.": "" +
		"%s робот завершался без предупреждения. То, что тогда выполнялось на вашем сайте, не записано: не " +
		"больше одного запроса каждый раз.",
	"Note: %s.":          "Примечание: %s.",
	"Under which policy": "По каким правилам вежливости",
	"What the operator had set is part of the record. A proof is worth what it demands.": "" +
		"Настройки оператора — часть журнала. Доказательство стоит столько, сколько оно требует.",
	"When":              "Когда",
	"Day (UTC)":         "День (UTC)",
	"Requests":          "Запросы",
	"Compared":          "Сравнение",
	"What you answered": "Что вы отвечали",
	"HTTP status":       "Код HTTP",
	"no answer":         "нет ответа",
	"Every request":     "Все запросы",
	"To be held against your log. Times are those of the crawler, in UTC. The pause is the one before " +
		"the request: what was owed, and what the clocks say was kept.": "" +
		"Для сверки с вашим журналом. Время — по часам робота, UTC. Пауза — та, что перед запросом: должная " +
		"и, по часам, выдержанная.",
	"These are the first %d of %d.":       "Это первые %d из %d.",
	"Time":                                "Время",
	"Status":                              "Код",
	"Pause owed":                          "Должная пауза",
	"kept":                                "выдержана",
	"None.":                               "Нет.",
	"line %d: %s":                         "строка %d: %s",
	"asked for its rules":                 "запрошены правила",
	"always allowed; asked for as a page": "всегда разрешён; запрошен как страница",
	"no rule matches":                     "ни одно правило не подходит",
	"no group applies to us":              "ни одна группа к нам не относится",
	"robots.txt itself is always allowed": "сам robots.txt всегда разрешён",
	"there is no robots.txt":              "файла robots.txt нет",
	"robots.txt could not be fetched":     "robots.txt не удалось получить",
	"Under which rules":                   "По каким правилам robots.txt",
	"%s, asked for on %s: %s":             "%s, запрошен %s: %s",
	"it decided on %s.":                   "по нему решалось: %s.",
	"robots.txt was not asked for.":       "robots.txt не запрашивался.",
	"What was never requested":            "Что не запрашивалось ни разу",
	"Page":                                "Страница",
	"Line":                                "Строка",
	"Rule":                                "Правило",
	"Rule of your robots.txt":             "Правило вашего robots.txt",
	"The list is not complete: each page is listed once, and only the first of them.": "" +
		"Список не полон: каждая страница названа один раз, и только первые из них.",
	"Nothing: no link led to a page that robots.txt closes.": "" +
		"Ничего: ни одна ссылка не вела на страницу, закрытую в robots.txt.",
	"Other links to your site were not followed for reasons of the crawler, not of yours:": "" +
		"По другим ссылкам на ваш сайт робот не перешёл по своим причинам, а не по вашим:",
	"What refused it":                "Чем отклонено",
	"Why":                            "Почему",
	"Links":                          "Ссылки",
	"Under your robots.txt of today": "По вашему сегодняшнему robots.txt",
	"%s of %d would be closed by your robots.txt as it was found last, on %s. They were made before, " +
		"under the one in force then.": "" +
		"%s из %d закрыл бы ваш robots.txt, каким он был в последний раз, %s. Они сделаны раньше, по " +
		"действовавшему тогда файлу.",
	"Closed today": "Закрыто сегодня",
	"Nothing that was requested would be closed by your robots.txt as it was found last, on %s (%s " +
		"asked).": "" +
		"Ничего из запрошенного не закрыл бы ваш robots.txt, каким он был в последний раз, %s (проверено: " +
		"%s).",
	"No robots.txt of yours was found when it was asked for last, so there is nothing to ask.": "" +
		"Когда ваш robots.txt запрашивался в последний раз, его не нашлось, поэтому проверять не по чему.",
	"If it has changed since: %s tells what the one at hand would close.": "" +
		"Если он с тех пор изменился: %s скажет, что закрыл бы имеющийся у вас файл.",
	"This in your robots.txt keeps it out; it is read again within a day:": "" +
		"Это в вашем robots.txt закроет ему доступ; файл перечитывается не реже раза в сутки:",
	"Or slow it down with %s, or with status 429 or 503 and %s.": "" +
		"Или замедлите его: %s либо код 429 или 503 с заголовком %s.",
	"How to check this page": "Как проверить эту страницу",
	"These lines stand for the record as it was when this page was made, with %d lines about all sites.": "" +
		"Эти строки удостоверяют журнал на момент составления страницы; строк обо всех сайтах в нём %d.",
	"The operator has signed them.": "Оператор их подписал.",
	"Nobody has signed them.":       "Их никто не подписал.",
	"Keep them: an operator can rewrite a record as a whole, and only what somebody else kept shows it.": "" +
		"Сохраните их: оператор может переписать журнал целиком, и выдаст это только то, что сохранил кто-то " +
		"другой.",
	"Ask the operator for the bundle of your site, if it did not come with this page: one zip file with " +
		"all lines about you, the proof that they are part of the record, and your robots.txt files. The " +
		"free program cybermapper judges it, without anything else:": "" +
		"Попросите у оператора архив вашего сайта, если он не пришёл с этой страницей: один файл zip со " +
		"всеми строками о вас, доказательством, что они часть журнала, и вашими файлами robots.txt. " +
		"Свободная программа cybermapper проверит его сама, без чего-либо ещё:",
	"The first works all of this page out again. The second holds it against the log of your own server, " +
		"both ways: what is there that the crawler did not write down, and the other way round. A README.txt " +
		"in the bundle says how to check it with sha256sum and nothing of ours.": "" +
		"Первая команда выводит всю эту страницу заново. Вторая сверяет её с журналом вашего сервера в обе " +
		"стороны: что есть там, но не записано роботом, и наоборот. README.txt в архиве объясняет, как " +
		"проверить его одной sha256sum, без наших программ.",
	"The record is a chain of %d lines in which each names the SHA-256 of the one before. It ended in %s " +
		"when this page was made.": "" +
		"Журнал — цепочка строк (%d), в которой каждая называет SHA-256 предыдущей. На момент составления " +
		"страницы он кончался на %s.",
	"Keep that number: an operator can rewrite a record as a whole, and only a number that somebody else " +
		"kept shows it.": "" +
		"Сохраните это число: оператор может переписать журнал целиком, и выдаст это только число, " +
		"сохранённое кем-то другим.",
	"proven":    "доказано",
	"refuted":   "опровергнуто",
	"not shown": "не доказано",
	"no case":   "случаев нет",
	"the ledger is whole: no record was altered, dropped, inserted or moved": "" +
		"журнал цел: ни одна запись не изменена, не удалена, не вставлена и не перемещена",
	"every line stands in the ledger of the checkpoint where it says: none was altered, inserted or moved": "" +
		"каждая строка стоит в журнале контрольной точки там, где сказано: ни одна не изменена, не вставлена " +
		"и не перемещена",
	"the ledger continues what was noted of it earlier": "журнал продолжает то, что было отмечено о нём раньше",
	"every robots.txt that a decision names is stored as it was, and the rule stands in the line named": "" +
		"каждый robots.txt, на который ссылается решение, сохранён как был, и правило стоит в названной " +
		"строке",
	"every request had a decision under the robots.txt in force then": "" +
		"для каждого запроса было решение по действовавшему тогда robots.txt",
	"nothing was requested that robots.txt disallowed":    "не запрошено ничего, что запрещал robots.txt",
	"nobody was asked for anything after being opted out": "никого не спрашивали после включения в список исключений",
	"no decision rests on a robots.txt older than allowed": "" +
		"ни одно решение не опирается на robots.txt старше дозволенного",
	"no gap between requests to a site was shorter than owed, and none was owed that was too short": "" +
		"ни одна пауза между запросами к сайту не была короче должной, и должная не была слишком короткой",
	"a site that asked for a rest, as by 429 or 503, or gave no answer, was left alone as long as the run promises": "" +
		"сайт, просивший о перерыве (как ответами 429 или 503) либо не ответивший, оставляли в покое так долго, как обещано",
	"no site had more requests in flight at once than allowed: one": "" +
		"ни к одному сайту не шло одновременно больше запросов, чем дозволено: один",
	"no site was asked by two nodes under rights that held at once, nor under one that was over": "" +
		"ни один сайт не опрашивали два узла по правам, действовавшим одновременно, ни один узел по истёкшему праву",
	"no IP address had more requests in flight at once than allowed": "" +
		"ни к одному IP-адресу не шло одновременно больше запросов, чем дозволено",
	"nothing was requested twice, except robots.txt when due or as a page too, and what had failed or " +
		"was interrupted": "" +
		"ничто не запрошено дважды, кроме robots.txt в свой срок или как страницы и того, что не удалось или " +
		"было прервано",
	"every refusal by robots.txt names the file in force and the rule that decided": "" +
		"каждый отказ из-за robots.txt называет действовавший файл и решившее правило",
	"every record is understood, and fits the clocks and the records around it": "" +
		"каждая запись понятна и согласуется с часами и соседними записями",
	"every page on disk belongs to an allowed request, and is as it was stored": "" +
		"каждая страница на диске относится к разрешённому запросу и осталась такой, какой сохранена",
	"every line of the list of pages is as it was written": "" +
		"каждая строка списка страниц осталась такой, какой записана",
	"every request of ours in the log of the site is on record": "каждый наш запрос из журнала сайта записан и у нас",
	"every request on record that was answered is in the log of the site": "" +
		"каждый наш запрос, получивший ответ, есть в журнале сайта",
	"the ledger continues what requests in the log of the site say of it": "" +
		"наша запись продолжает то, что о ней говорят запросы из журнала сайта",
	"log and record tell the same of each: what was answered, and when": "" +
		"оба журнала говорят о каждом одно и то же: что отвечено и когда",
	"%s, and that is an answer":        "%s, и это ответ",
	"%s, given up":                     "%s, больше не пробуем",
	"%s, tried again in %s":            "%s, повтор через %s",
	"%s; left alone until %s":          "%s; оставлен в покое до %s",
	"(everything)":                     "(всё)",
	"* stands for page=2&":             "* стоит вместо page=2&",
	", %d of them followed":            ", переходов по ним: %d",
	"410: gone, and that is an answer": "410: страницы больше нет, и это ответ",
	"; stored with it: %s":             "; сохранено вместе с ней: %s",
	"Allow makes exceptions, * and $ are wildcards, the longest rule wins (RFC 9309)": "" +
		"Allow делает исключения, * и $ — подстановочные знаки, побеждает самое длинное правило (RFC 9309)",
	"Cybermapper visits small sites on this machine, %d of them. This is what they ask of robots:": "" +
		"Cybermapper обходит небольшие сайты на этой машине, всего %d. Вот чего они просят от роботов:",
	"META noai, and a copy of /master.html":              "META noai, и это копия /master.html",
	"Or look at it, in a browser: %s":                    "Или посмотрите в браузере: %s",
	"The crawl: what is asked for, what is not, and why": "Обход: что запрашивается, что нет и почему",
	"The job lies in %s: pages/ as fetched, robots/ by digest,": "" +
		"Задание лежит в %s: pages/ — страницы, какими они получены, robots/ — по хеш-суммам,",
	"The job, as crawl would sum it up":            "Задание, как его подытожила бы команда crawl",
	"What the servers saw, and what was stored":    "Что видели серверы и что сохранено",
	"a group that names us replaces the one for *": "группа, которая называет нас, заменяет группу для *",
	"whether the whole site fails; %s":             "не отказал ли весь сайт; %s",
	"a page that cannot exist, to learn how the site says so; %s": "" +
		"страница, которой не может быть: узнать, как сайт об этом говорит; %s",
	"a preference closes nothing":                         "пожелание ничего не закрывает",
	"a redirect is a link, to %s":                         "перенаправление — это ссылка, на %s",
	"a rule is a prefix of the path, and this is not it":  "правило — это начало пути, а этот путь начинается иначе",
	"a seed, at the pace that is asked for":               "начальный адрес, в том темпе, о котором просят",
	"a sitemap may be a list of URLs, one per line":       "файл Sitemap может быть списком URL, по одному в строке",
	"a sitemap, not stored: %s, %d of them to be visited": "файл Sitemap, не сохраняется: %s, будет посещено %d",
	"a vote link: following it would do something":        "ссылка для голосования: переход по ней что-то сделал бы",
	"an empty Disallow closes nothing":                    "пустой Disallow ничего не закрывает",
	"an error at first; asked for again later":            "сначала ошибка; запрашивается снова позже",
	"another id is another page":                          "другой id — другая страница",
	"answers 503 to robots.txt: nobody knows its rules, so nothing is asked for": "" +
		"отвечает 503 на запрос robots.txt: его правил никто не знает, поэтому ничего не запрашивается",
	"any site":  "любом сайте",
	"asked for": "запрошено",
	"asked for, not stored (META noindex), its links followed": "" +
		"запрошена, не сохранена (META noindex), переходы по её ссылкам сделаны",
	"asks for pauses so long that only seeds are visited (from 5 minutes on; in this demo from 2.5 seconds)": "" +
		"просит о таких долгих паузах, что посещаются только начальные адреса (от 5 минут; здесь — от 2,5 " +
		"секунды)",
	"asks for two seconds between requests, which is more than we would have left by ourselves": "" +
		"просит делать между запросами две секунды, это больше, чем мы выждали бы сами",
	"asks to read its robots.txt again soon; the second time it closes /draft.html, which is in the queue by then": "" +
		"просит скоро перечитать его robots.txt; во второй раз тот закрывает /draft.html, который к тому времени " +
		"уже в очереди",
	"at that pace links are not worth its while: line 2": "в таком темпе по ссылкам ходить не стоит: строка 2",
	"closed":                                               "закрыто",
	"closed to robots":                                     "закрыто для роботов",
	"closed to robots: it has no end":                      "закрыто для роботов: у этого места нет конца",
	"closed to robots: it will soon disappear":             "закрыто для роботов: скоро исчезнет",
	"closed, and a redirect is no way around that":         "закрыто, и перенаправление этого не обходит",
	"closed, and that a copy names it opens nothing":       "закрыто, и то, что её называет копия, ничего не открывает",
	"differs in nothing that counts: line 2":               "не отличается ничем существенным: строка 2",
	"does not end in .pdf: $ is the end":                   "не кончается на .pdf: $ — это конец",
	"ends in .pdf":                                         "кончается на .pdf",
	"failed":                                               "ошибка",
	"its own group lets cybermapper in":                    "собственная группа впускает cybermapper",
	"its robots.txt, line 2, asks for %s":                  "его robots.txt в строке 2 просит %s",
	"leads into /hidden/, which is closed":                 "ведёт в /hidden/, а он закрыт",
	"leads to /new-home.html":                              "ведёт на /new-home.html",
	"leads to /round-b, which leads back: a loop, noticed": "ведёт на /round-b, а тот обратно: петля, замечена",
	"leads to a site that wants no robots":                 "ведёт на сайт, который не хочет роботов",
	"ledger/ with every request and refusal, report.json with the numbers. Ask it:": "" +
		"ledger/ — каждый запрос и каждый отказ, report.json — числа. Спросите его:",
	"may be visited, but says what for: no training, no mining; and a page that says whose copy it is": "" +
		"посещать можно, но сказано, для чего: не для обучения и не для анализа данных; и страница, которая " +
		"говорит, чья она копия",
	"named in a sitemap, but closed to robots":    "назван в файле Sitemap, но закрыт для роботов",
	"named in a sitemap, with the day it changed": "назван в файле Sitemap, с днём изменения",
	"named in the other":                          "назван в другом",
	"next request in %s":                          "следующий запрос через %s",
	"no page links to it: it was submitted while the crawl ran": "" +
		"на неё не ссылается ни одна страница: она была предложена во время обхода",
	"no sort= in the query":            "в запросе нет sort=",
	"noindex says nothing about links": "noindex ничего не говорит о ссылках",
	"not asked":                        "пропущен",
	"not asked for":                    "не запрошено",
	"not stored, its links not followed (X-Robots-Tag: none)": "не сохранена, переходов по её ссылкам нет (X-Robots-Tag: none)",
	"not stored: the page asks not to be (noindex)":           "не сохранена: об этом просит страница (noindex)",
	"nothing speaks against it":                               "ничто не мешает",
	"of two rules of equal length Allow wins":                 "из двух правил равной длины побеждает Allow",
	"only a nofollow page leads here":                         "сюда ведёт только страница с nofollow",
	"only a page marked none leads here":                      "сюда ведёт только страница с пометкой none",
	"only the map below it is closed":                         "закрыта только карта внутри него",
	"open when it was found, closed before its turn: line 3 of the new file": "" +
		"была открыта, когда её нашли, закрыта раньше, чем подошла её очередь: строка 3 нового файла",
	"permission does not replace a bound: the map looks endless, so the rest is parked": "" +
		"разрешение не заменяет предела: карта похожа на бесконечную, поэтому остальное отложено",
	"queued until the window of Visit-time opens; only robots.txt may be asked for now": "" +
		"в очереди, пока не откроется окно Visit-time; сейчас можно запросить только robots.txt",
	"redirects are links, and meet the same rules; a page that fails is tried again": "" +
		"перенаправления — это ссылки, для них те же правила; страница с ошибкой запрашивается снова",
	"robots.txt line %d: %s": "robots.txt, строка %d: %s",
	"rests":                  "пауза",
	"robots.txt names it; an index of sitemaps, read and not stored": "" +
		"его называет robots.txt; указатель файлов Sitemap, читается и не сохраняется",
	"robots.txt was the first thing asked for at %d of %d sites": "robots.txt был запрошен первым на %d сайтах из %d",
	"says which parameters change nothing (Clean-param)":         "говорит, какие параметры ничего не меняют (Clean-param)",
	"sitemaps name pages that nothing links to; they are no way around the rules": "" +
		"файлы Sitemap называют страницы, на которые никто не ссылается; правил они не обходят",
	"still inside all bounds": "пока в пределах всех границ",
	"still open":              "всё ещё открыта",
	"stored":                  "сохранена",
	"stored, none of its links followed (META nofollow)": "сохранена, переходов по её ссылкам нет (META nofollow)",
	"stored: its X-Robots-Tag names another robot":       "сохранена: её X-Robots-Tag называет другого робота",
	"submitted while the crawl runs%s":                   "предложен во время обхода%s",
	"the configuration asks for %s":                      "настройки просят %s",
	"the end of a redirect":                              "конец перенаправления",
	"the first example of the 1994 standard: three places are closed to every robot": "" +
		"первый пример из стандарта 1994 года: три места закрыты для всех роботов",
	"the first of its kind, asked for as it was linked": "первая в своём роде, запрошена так, как на неё ссылались",
	"the index names it":                                   "его называет указатель",
	"the longer Allow wins over the shorter Disallow":      "более длинный Allow побеждает более короткий Disallow",
	"the only link to it is marked rel=nofollow":           "единственная ссылка на неё помечена rel=nofollow",
	"the rules come first; %s":                             "сначала правила; %s",
	"the same bytes as /original.html: noted, stored once": "те же байты, что и в /original.html: отмечено, сохранено один раз",
	"the same segment again and again: a trap":             "один и тот же сегмент снова и снова: ловушка",
	"the second example: cybermapper may go everywhere, even where the space is infinite": "" +
		"второй пример: cybermapper можно ходить везде, даже там, где пространство бесконечно",
	"the seed; it has no links":                       "начальный адрес; ссылок на странице нет",
	"the shortest pause at %s was %s (before %s); %s": "самая короткая пауза на %s — %s (перед %s); %s",
	"the third example: robots, go away":              "третий пример: роботы, уходите",
	"the whole site is closed to robots":              "весь сайт закрыт для роботов",
	"two more seconds later":                          "ещё двумя секундами позже",
	"two seconds later":                               "двумя секундами позже",
	"until robots.txt can be fetched, the whole site counts as closed": "" +
		"пока robots.txt нельзя получить, закрытым считается весь сайт",
	"welcomes visits at another time of the day (UTC): its pages stay queued until then": "" +
		"рад посещениям в другое время суток (UTC): до тех пор его страницы остаются в очереди",
	"what a page may ask for itself: META ROBOTS, X-Robots-Tag, rel=nofollow": "" +
		"о чём страница может попросить для себя: META ROBOTS, X-Robots-Tag, rel=nofollow",
	"what its pages may be used for (TDMRep); %s": "для чего можно использовать его страницы (TDMRep); %s",
	"what may be mined (TDMRep): asked for before the pages, for robots.tdmrep_file says so": "" +
		"что можно анализировать (TDMRep): запрашивается раньше страниц, потому что так велит robots.tdmrep_file",
}
