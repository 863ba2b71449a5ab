package translate

import "golang.org/x/text/feature/plural"

var spanishPlurals = plurals{
	"%d links":    {plural.One, "%d enlace", plural.Other, "%d enlaces"},
	"%d requests": {plural.One, "%d petición", plural.Other, "%d peticiones"},
	"%d times":    {plural.One, "%d vez", plural.Other, "%d veces"},
	"%d sites":    {plural.One, "%d sitio", plural.Other, "%d sitios"},
	"of %d sites": {plural.One, "de %d sitio", plural.Other, "de %d sitios"},
	"%d pages":    {plural.One, "%d página", plural.Other, "%d páginas"},
	"%d files":    {plural.One, "%d fichero", plural.Other, "%d ficheros"},
	"%d opt-outs": {plural.One, "%d exclusión", plural.Other, "%d exclusiones"},
	"%d URLs":     {plural.Other, "%d URL"},
}

var spanish = map[string]string{
	"en":                            "es",
	"%s: about this crawler":        "%s: acerca de este rastreador",
	"Name in robots.txt":            "Nombre en robots.txt",
	"Purpose":                       "Finalidad",
	"Contact":                       "Contacto",
	"Comes from":                    "Direcciones de origen",
	"Keep it out":                   "Cómo impedirle el acceso",
	"Slow it down":                  "Cómo hacer que vaya más despacio",
	"What it does":                  "Qué hace",
	"The key of its operator":       "La clave de su operador",
	"Verifier":                      "Clave de verificación",
	"Fingerprint":                   "Huella digital",
	"Place to discuss it in public": "Lugar para comentarlo en público",
	"Was it really this crawler?":   "¿Era de verdad este rastreador?",
	"Anybody can send this name.":   "Cualquiera puede enviar este nombre.",
	"If you found this name in the log of your web server, this page says what it is, and how to keep it " +
		"out.": "" +
		"Si ha encontrado este nombre en el registro de su servidor web, esta página dice qué es y cómo " +
		"impedirle el acceso.",
	"Put this into %s at the top of your site. It is read again within a day.": "" +
		"Ponga esto en %s, en la raíz de su sitio. Se vuelve a leer en el plazo de un día.",
	"Single pages: %s, or the header %s.": "" +
		"Para páginas sueltas: %s, o la cabecera %s.",
	"Or write to the contact: an operator puts your host, your domain or your addresses on a list, and " +
		"within seconds nothing more is asked of them, robots.txt included.": "" +
		"O escriba al contacto: el operador incluye su host, su dominio o sus direcciones en una lista, y en " +
		"segundos ya no se les pide nada más, ni siquiera robots.txt.",
	"The number is the least number of seconds between two requests. Status 429 or 503 with %s makes the " +
		"whole host rest.": "" +
		"El número es el mínimo de segundos entre dos peticiones. Con el estado 429 o 503 y %s se deja " +
		"descansar a todo el host.",
	"It reads robots.txt before anything else (RFC 9309). While that cannot be fetched, it requests " +
		"nothing else.": "" +
		"Lee robots.txt antes que nada (RFC 9309). Mientras no pueda obtenerlo, no pide nada más.",
	"It makes one request at a time to a host, and unless the host is its operator's own, at least %s " +
		"pass between the end of one and the start of the next; more if you answer slowly.": "" +
		"Hace una sola petición a la vez a cada host y, salvo que el host sea del propio operador, deja " +
		"pasar al menos %s entre el final de una y el comienzo de la siguiente; más si el servidor responde " +
		"despacio.",
	"It sends GET only, no forms, and cookies or credentials to no host but one that gave them to its " +
		"operator; it follows no link that looks like an action.": "" +
		"Solo envía GET, no rellena formularios, y no manda cookies ni credenciales más que al host que se " +
		"las dio a su operador; no sigue ningún enlace que parezca una acción.",
	"It keeps pages as they were sent. It runs no scripts and renders nothing.": "" +
		"Guarda las páginas tal como se enviaron. No ejecuta scripts ni representa las páginas.",
	"Every request is in a ledger, with the line of your robots.txt under which it was made. Ask for " +
		"yours: its operator can send you a bundle that %s judges, also against your own log.": "" +
		"Cada petición consta en un registro, con la línea de su robots.txt que la permitió. Pida lo suyo: " +
		"el operador puede enviarle un paquete que %s comprueba, también frente a su propio registro.",
	"Requests that do not come from the addresses above are not ours.": "" +
		"Las peticiones que no vienen de las direcciones de arriba no son nuestras.",
	"Every request is signed (HTTP Message Signatures, RFC 9421; Web Bot Auth) with the key %s, so a " +
		"request without that signature is not ours.": "" +
		"Cada petición va firmada (HTTP Message Signatures, RFC 9421; Web Bot Auth) con la clave %s, de modo " +
		"que una petición sin esa firma no es nuestra.",
	"The key is published at %s.": "La clave está publicada en %s.",
	"Send the lines of your log to the contact: the ledger says whether they are ours, and %s says how " +
		"any crawler behaved.": "" +
		"Envíe las líneas de su registro al contacto: nuestro registro dice si son nuestras, y %s dice cómo " +
		"se ha portado cualquier rastreador.",
	"The ledger is signed with this key, so that it cannot be rewritten without a trace. %s of that " +
		"command demands it.": "" +
		"El registro va firmado con esta clave, de modo que no puede reescribirse sin dejar rastro. %s, en " +
		"esa orden, la exige.",
	"done, but for what is parked":   "hecho, salvo lo que está apartado",
	"done: nothing is left to fetch": "hecho: no queda nada por descargar",
	"some hosts must wait; run the same command again later to continue": "" +
		"algunos hosts deben esperar; ejecute la misma orden más tarde para continuar",
	"interrupted; run the same command again to continue": "" +
		"interrumpido; ejecute la misma orden otra vez para continuar",
	"failed: %s":              "error: %s",
	"the limit %s is reached": "se ha alcanzado el límite %s",
	"%s, after %s":            "%s, tras %s",
	"killed or crashed after %s; run the same command again to continue": "" +
		"interrumpido bruscamente tras %s; ejecute la misma orden otra vez para continuar",
	"end":                        "final",
	"running":                    "en curso",
	"not yet begun":              "aún no ha empezado",
	"requests":                   "peticiones",
	"pages":                      "páginas",
	"needed":                     "recursos",
	"links":                      "enlaces",
	"job":                        "trabajo",
	"disk":                       "disco",
	"answers":                    "respuestas",
	"reasons":                    "motivos",
	"parked":                     "apartado",
	"left":                       "falta",
	"waiting":                    "en espera",
	"twins":                      "gemelos",
	"left alone":                 "excluidos",
	"process %s, for %s: %s":     "proceso %s, desde hace %s: %s",
	"%d (%d for robots.txt%s%s)": "%d (%d de robots.txt%s%s)",
	", %d for sitemaps":          ", %d de sitemaps",
	", %d for what pages need":   ", %d de recursos de páginas",
	"%s, %d stored, %s, %.1f/s":  "%s, %d guardadas, %s, %.1f/s",
	"%d new, %d visited again":   "%d nuevas, %d visitadas de nuevo",
	"%d of images, styles and the like stored, which count as no pages": "" +
		"%d imágenes, estilos y similares guardados, que no cuentan como páginas",
	"%d found%s, %d new":       "%d encontrados%s, %d nuevos",
	", %d of them in sitemaps": ", %d de ellos en sitemaps",
	"%d URLs known: %d done, %d refused, %d failed, %d queued, %d to be tried again; %s %s": "" +
		"%d URL conocidas: %d hechas, %d rechazadas, %d fallidas, %d en cola, %d por reintentar; %s %s",
	"ledger %s in %s (%s of records), queue %s, list of pages %s": "" +
		"registro %s en %s (%s de entradas), cola %s, lista de páginas %s",
	"deeper": "más hondo",
	"none leads on; these sites are out of scope: %s":   "ninguno lleva más allá; estos sitios quedan fuera del alcance: %s",
	"as seeds they are visited; --scope any visits all": "como semillas se visitan; --scope any los visita todos",
	"links that only scripts make are not seen: more seeds or --sitemaps lead there": "" +
		"los enlaces que solo crean los scripts no se ven: a ellos llevan más semillas, o --sitemaps",
	"no page has a link to others; those that only scripts make are not seen: seeds or --sitemaps lead there": "" +
		"ninguna página enlaza otra; los enlaces que solo crean los scripts no se ven: a ellos llevan más semillas, o --sitemaps",
	"no page has a link; what only scripts make of pages, links as well as texts, is not seen": "" +
		"ninguna página tiene enlaces; lo que solo crean los scripts, tanto enlaces como textos, no se ve",
	"%s beyond the depth allowed, and what they lead to": "%s más allá de la profundidad permitida, y lo que enlazan",
	"%s takes them up, with a greater N":                 "%s las retoma, con un N mayor",
	"pages ask robots not to follow their links, and no others led further": "" +
		"páginas piden a los robots no seguir sus enlaces, y ninguna otra llevó más lejos",
	"more seeds, or %s, may":          "más semillas, o %s, quizá sí",
	"%s of places that look endless":  "%s de lugares que no parecen tener fin",
	"%s names them; %s takes them up": "%s los nombra; %s los retoma",
	"%s until %s (in %s): %s":         "%s hasta %s (dentro de %s): %s",
	", %d queued":                     ", %d en cola",
	"and %d more, see %s":             "y %d más, véase %s",
	"%s and %s look like one site: %s at both; to visit one only: %s": "" +
		"%s y %s parecen un solo sitio: %s en ambos; para visitar solo uno: %s",
	"kept from earlier runs": "conservadas de ejecuciones anteriores",
	"from %s":                "de %s",
	"%s %s, since %s; %s refused in this run": "%s %s, desde %s; %s rechazadas en esta ejecución",
	"the file has a mistake, so nothing is lifted: %s": "" +
		"el fichero tiene un error, así que no se levanta ninguna exclusión: %s",
	"seeds that gave no page: %d": "semillas que no dieron ninguna página: %d",
	"no seed gave a page":         "ninguna semilla dio una página",
	"try: %s":                     "pruebe: %s",
	"%s  %.1f/s  %d queued on %s": "%s  %.1f/s  %d en cola (%s)",
	"resting until %s (hours)":    "en pausa hasta %s (hours)",
	"%d resting (%s)":             "%d en pausa (%s)",
	"%d failed":                   "%d fallidas",
	"ETA %s":                      "faltan %s",
	"none":                        "nada",
	"unknown: %s":                 "no se sabe: %s",
	"at least %s":                 "al menos %s",
	"the queue is empty, and the last pages may bring links": "" +
		"la cola está vacía, y las últimas páginas pueden traer enlaces",
	"no page was fetched recently": "últimamente no se ha descargado ninguna página",
	"%.1f GB":                      "%.1f GB",
	"%.1f MB":                      "%.1f MB",
	"%.1f kB":                      "%.1f kB",
	"%d bytes":                     "%d bytes",
	"answered %d %s":               "respondió %d %s",
	"given up: %s":                 "abandonada: %s",
	"to be tried again: %s":        "se intentará de nuevo: %s",
	"not asked for yet":            "aún no se ha pedido",
	"not asked for: %s":            "no se ha pedido: %s",
	"refused: %s":                  "rechazada: %s",
	"redirects to %s: %s":          "redirige a %s: %s",
	"redirects again and again, at last to %s": "redirige una y otra vez, por último a %s",
	"accept_cookies in hosts: of the configuration, in case the site wants a cookie back that it sets": "" +
		"accept_cookies en hosts: de la configuración, por si el sitio quiere que se le devuelva una cookie suya",
	"look at it with: %s":                    "examínela con: %s",
	"give %s as a seed, or --scope any":      "dé %s como semilla, o --scope any",
	"ask its owner to let this crawler pass": "pida a su propietario que deje pasar a este crawler",
	"ask its owner; a login that you got goes into hosts: of the configuration, with --again=all": "" +
		"pregunte a su propietario; lo que le dio para identificarse va en hosts: de la configuración, con --again=all",
	"check the address; --again=all asks again":      "compruebe la dirección; --again=all vuelve a pedir",
	"check the address: it redirects nowhere":        "compruebe la dirección: no redirige a ningún sitio",
	"another --exclude":                              "otro --exclude",
	"another --include":                              "otro --include",
	"another --accept or --reject, with --again=all": "otro --accept o --reject, con --again=all",
	"a larger --depth":                               "un --depth mayor",
	"another action_links in the configuration":      "otro action_links en la configuración",
	"nothing: its owner asked to be left alone (--opt-out)": "" +
		"nada: su propietario pidió que no se le visite (--opt-out)",
	"nothing: ask its owner; cybermapper robots explain shows the rules": "" +
		"nada: pregunte a su propietario; cybermapper robots explain muestra las reglas",
	"check the name": "compruebe el nombre",
	"check the certificate and your clock; --ca FILE trusts another authority, http:// does without": "" +
		"compruebe el certificado y el reloj de esta máquina; --ca FILE confía en otra autoridad, http:// no lo necesita",
	"--allow-private; a run after the rest of the site asks again, another --job at once": "" +
		"--allow-private; la misma orden pregunta otra vez tras el descanso del sitio, otro --job enseguida",
	"check the address and the port; a run after the rest of the site asks again, another --job at once": "" +
		"compruebe la dirección y el puerto; la misma orden pregunta otra vez tras el descanso del sitio, otro --job enseguida",
	"another port": "otro puerto",
	"a higher bound in the section traps of the configuration": "" +
		"un límite mayor en la sección traps de la configuración",
	"a higher limit for each host":          "un límite mayor por host",
	"run the same command again later":      "ejecute la misma orden otra vez más tarde",
	"not an http or https URL":              "no es un URL http ni https",
	"it is as it was at the visit before":   "está como en la visita anterior",
	"it has changed since the visit before": "ha cambiado desde la visita anterior",
	"it is gone since an earlier visit":     "ya no existe desde una visita anterior",
	"it has moved since an earlier visit":   "se ha movido desde una visita anterior",
	"a link out of scope, asked for to see whether it is dead": "" +
		"un enlace fuera del alcance, pedido para ver si está roto",
	"the page asks robots not to follow its links": "la página pide a los robots que no sigan sus enlaces",
	"the link is marked nofollow":                  "el enlace está marcado nofollow",
	"the page asks not to be stored":               "la página pide no ser guardada",
	"the owner asked us to stay away (opt-out)":    "el propietario pidió que no viniéramos (opt-out)",
	"following the link might do something":        "seguir el enlace podría ejecutar una acción",
	"it leads to a form to sign in":                "lleva a un formulario de acceso",
	"outside the scope of the crawl":               "fuera del alcance del rastreo",
	"an exclude pattern matches":                   "coincide con un patrón de exclusión",
	"the feed of a part of the site":               "el feed de una parte del sitio",
	"a kind of file that is not wanted":            "un tipo de fichero no deseado",
	"too many path segments: this may have no end": "demasiados segmentos en la ruta: puede no tener fin",
	"the same path segment repeats: this may have no end": "" +
		"el mismo segmento de la ruta se repite: puede no tener fin",
	"too many pages that differ only in their query":        "demasiadas páginas que solo difieren en la consulta",
	"too many pages in one directory":                       "demasiadas páginas en un directorio",
	"the place looks endless, so it is parked":              "el lugar no parece tener fin, así que se aparta",
	"the directory serves the same content again and again": "el directorio sirve el mismo contenido una y otra vez",
	"only the order or repetition of parameters, or a session or campaign, differs from a page that was visited": "" +
		"solo el orden o la repetición de los parámetros, o uno de sesión o campaña, difiere de una página ya visitada",
	"the listing of a directory that was visited, in another order": "el listado de un directorio ya visitado, en otro orden",
	"only parameters differ from a page that was visited, and robots.txt says that these change nothing": "" +
		"solo difiere en parámetros de una página ya visitada, y robots.txt dice que no cambian nada",
	"too many hosts of one domain":                  "demasiados hosts de un dominio",
	"looks like an error page sent with status 200": "parece una página de error enviada con estado 200",
	"the redirects form a loop":                     "las redirecciones forman un bucle",
	"too many links from a seed":                    "demasiados enlaces desde una semilla",
	"the limit of pages for this host is reached":   "se ha alcanzado el límite de páginas de este host",
	"the limit of bytes for this host is reached":   "se ha alcanzado el límite de bytes de este host",
	"the limit of time for this host is reached":    "se ha alcanzado el límite de tiempo de este host",
	"too many links on one page":                    "demasiados enlaces en una página",
	"too much that one page needs, or styles that import one another without end": "" +
		"demasiados recursos de una página, o estilos que se importan unos a otros sin fin",
	"a sitemap speaks for its own directory and for sites whose robots.txt names it": "" +
		"un sitemap habla de su propio directorio y de los sitios cuyo robots.txt lo nombra",
	"too many sites would have to be asked whether a sitemap speaks for them": "" +
		"habría que preguntar a demasiados sitios si un sitemap habla por ellos",
	"too many indexes of sitemaps in a row":            "demasiados índices de sitemaps seguidos",
	"the limit of sitemaps for this site is reached":   "se ha alcanzado el límite de sitemaps de este sitio",
	"a private address, which --allow-private permits": "una dirección privada, que --allow-private permite",
	"the port belongs to another service than the web": "el puerto es de otro servicio, no de la web",
	"robots.txt does not allow it":                     "robots.txt no lo permite",
	"the site asks for pauses so long that only its seeds are visited": "" +
		"el sitio pide pausas tan largas que solo se visitan sus semillas",
	"its site gave one answer for all pages": "su sitio daba una misma respuesta para todas las páginas",
	"a test whether there is a browser, or a human, came in its place": "" +
		"en su lugar llegó una prueba de que hay un navegador o una persona",
	"the server reported an error":                                 "el servidor informó de un error",
	"429: the server asks us to slow down":                         "429: el servidor pide ir más despacio",
	"the server asks us to come back later":                        "el servidor pide volver más tarde",
	"511: the network between us and the site wants a login first": "511: la red que hay antes del sitio pide iniciar sesión",
	"no address was found for the host name":                       "no se encontró ninguna dirección para el nombre del host",
	"nobody accepts connections there, or no way leads there":      "nadie acepta conexiones ahí, o ningún camino lleva ahí",
	"no answer came in time":                                       "no llegó respuesta a tiempo",
	"no secure connection could be made":                           "no se pudo establecer una conexión segura",
	"robots.txt cannot be fetched, so everything counts as disallowed": "" +
		"robots.txt no se puede obtener, así que todo cuenta como prohibido",
	"robots.txt asks for visits at another time of day": "robots.txt pide visitas a otra hora del día",
	"the settings (hours) name another time for it":     "los ajustes (hours) indican otra hora",
	"401, 403 or a challenge many times in a row: the owner may not want us": "" +
		"401, 403 o una prueba de navegador muchas veces seguidas: quizá el propietario no nos quiere",
	"choose another --job; nothing was changed": "elija otro --job; no se ha cambiado nada",
	"use the version of cybermapper that made it; nothing was changed": "" +
		"use la versión de cybermapper que lo creó; no se ha cambiado nada",
	"take it away, or put back what was there; nothing was read or changed": "" +
		"quítelo, o vuelva a poner lo que había; no se ha leído ni cambiado nada",
	"choose another --job, where you may write":     "elija otro --job, donde pueda escribir",
	"wait for it, stop it, or choose another --job": "espere a que acabe, deténgalo o elija otro --job",
	"raise the limit to continue the crawl":         "suba el límite para continuar el rastreo",
	"a seed is an absolute http or https URL, one per line": "" +
		"una semilla es un URL absoluto http o https, uno por línea",
	"--contact you@example.org, or agent.contact in the configuration, goes into User-Agent": "" +
		"--contact usted@example.org, o agent.contact en la configuración, va en User-Agent",
	"--allow-private lets cybermapper visit loopback and private addresses": "" +
		"--allow-private deja que cybermapper visite direcciones privadas y de bucle local",
	"--fresh starts over, --again goes on":             "--fresh empieza de nuevo, --again continúa",
	"without --fresh the crawl goes on; --yes answers": "sin --fresh el rastreo continúa; --yes responde que sí",
	"%s at %s: what was done, and how we know":         "%s en %s: qué se hizo y cómo lo sabemos",
	"%s at %s": "%s en %s",
	"The record of this crawl is broken, so nothing can be told from it, and this page tells nothing " +
		"else.": "" +
		"El registro de este rastreo está dañado, así que no se puede deducir nada de él, y esta página no " +
		"dice nada más.",
	"Made on %s for the owner of %s. Ask the operator for an explanation.": "" +
		"Hecha el %s para el propietario de %s. Pida una explicación al operador.",
	"By its record, the crawler kept every promise at %s.": "" +
		"Según su registro, el rastreador cumplió todas sus promesas en %s.",
	"By its own record, the crawler broke a promise at %s: see what is refuted below.": "" +
		"Según su propio registro, el rastreador incumplió una promesa en %s: vea abajo lo refutado.",
	"Nothing in the record contradicts the promises of the crawler at %s, but not all of it can be shown.": "" +
		"Nada en el registro contradice las promesas del rastreador en %s, pero no todo puede demostrarse.",
	"This page is for the owner of %s. It tells what the web crawler %s did there, from the record that " +
		"it keeps of every request. The page was made on %s.": "" +
		"Esta página es para el propietario de %s. Cuenta qué hizo allí el rastreador web %s, según el " +
		"registro que lleva de cada petición. La página se hizo el %s.",
	"Who it was":                    "Quién era",
	"The crawler is %s.":            "El rastreador es %s.",
	"Its operator gave no contact.": "Su operador no dio ningún contacto.",
	"The record is signed by %s.":   "El registro está firmado por %s.",
	"Please write to %s.":           "Escriba a %s.",
	"It came from %s.":              "Vino de %s.",
	"From which address it came is not in the record: a router or a proxy stood between, or an older " +
		"version did not write it down. The log of your server has it.": "" +
		"El registro no dice desde qué dirección vino: había un router o un proxy en medio, o una versión " +
		"antigua no lo anotó. El registro de su servidor la tiene.",
	"These addresses of yours were asked: %s.": "Se pidió a estas direcciones suyas: %s.",
	"In short": "En resumen",
	"%s from %s to %s: %d for pages, %d for robots.txt. They brought %s.": "" +
		"%s desde %s hasta %s: %d de páginas, %d de robots.txt. Trajeron %s.",
	"%d got no answer.": "%d sin respuesta.",
	"Between the end of a request and the start of the next %s passed at the least, %s on average. In " +
		"the busiest minute there were %s.": "" +
		"Entre el final de una petición y el comienzo de la siguiente pasaron %s como mínimo y %s de media. " +
		"En el minuto de más actividad hubo %s.",
	"The operator has listed this site as one with a pace of its own.": "" +
		"El operador ha anotado este sitio como uno con ritmo propio.",
	"You answered within %s on average, %s at the quickest and %s at the slowest.": "" +
		"Usted respondió en %s de media, %s lo más rápido y %s lo más lento.",
	"Nothing was ever requested.": "Nunca se pidió nada.",
	"%s a page was not requested because your robots.txt says so.": "" +
		"%s no se pidió una página porque su robots.txt así lo dice.",
	"There was no link to anything that your robots.txt closes.": "" +
		"No había ningún enlace a nada que su robots.txt cierre.",
	"What can be shown": "Qué se puede demostrar",
	"All of this was worked out from the record and from the robots.txt files as they were then, by code " +
		"that is not that of the crawler.": "" +
		"Todo esto se dedujo del registro y de los ficheros robots.txt tal como eran entonces, con un código " +
		"que no es el del rastreador.",
	"%d checked":   "%d comprobados",
	"%d broken":    "%d incumplidos",
	"%d not known": "%d sin saber",
	"%s the crawler ended without saying so. What was under way at your site then is in no record: at " +
		"most one request each time.": "" +
		"%s el rastreador acabó sin avisar. Lo que estaba en curso en su sitio no consta: como mucho, una " +
		"petición cada vez.",
	"Note: %s.":          "Nota: %s.",
	"Under which policy": "Con qué política",
	"What the operator had set is part of the record. A proof is worth what it demands.": "" +
		"Lo que el operador había ajustado forma parte del registro. Una prueba vale lo que exige.",
	"When":              "Cuándo",
	"Day (UTC)":         "Día (UTC)",
	"Requests":          "Peticiones",
	"Compared":          "Comparación",
	"What you answered": "Qué respondió usted",
	"HTTP status":       "Estado HTTP",
	"no answer":         "sin respuesta",
	"Every request":     "Todas las peticiones",
	"To be held against your log. Times are those of the crawler, in UTC. The pause is the one before " +
		"the request: what was owed, and what the clocks say was kept.": "" +
		"Para cotejar con su registro. Las horas son las del rastreador, en UTC. La pausa es la anterior a " +
		"la petición: la debida y la que, según los relojes, se guardó.",
	"These are the first %d of %d.":       "Estas son las %d primeras de %d.",
	"Time":                                "Hora",
	"Status":                              "Estado",
	"Pause owed":                          "Pausa debida",
	"kept":                                "guardada",
	"None.":                               "Ninguna.",
	"line %d: %s":                         "línea %d: %s",
	"asked for its rules":                 "se pidieron sus reglas",
	"always allowed; asked for as a page": "siempre permitido; pedido como página",
	"no rule matches":                     "ninguna regla coincide",
	"no group applies to us":              "ningún grupo se aplica a nosotros",
	"robots.txt itself is always allowed": "robots.txt siempre está permitido",
	"there is no robots.txt":              "no hay robots.txt",
	"robots.txt could not be fetched":     "robots.txt no se pudo obtener",
	"Under which rules":                   "Con qué reglas",
	"%s, asked for on %s: %s":             "%s, pedido el %s: %s",
	"it decided on %s.":                   "decidió sobre %s.",
	"robots.txt was not asked for.":       "No se pidió robots.txt.",
	"What was never requested":            "Qué no se pidió nunca",
	"Page":                                "Página",
	"Line":                                "Línea",
	"Rule":                                "Regla",
	"Rule of your robots.txt":             "Regla de su robots.txt",
	"The list is not complete: each page is listed once, and only the first of them.": "" +
		"La lista no es completa: cada página figura una vez, y solo las primeras.",
	"Nothing: no link led to a page that robots.txt closes.": "" +
		"Nada: ningún enlace llevaba a una página que robots.txt cierre.",
	"Other links to your site were not followed for reasons of the crawler, not of yours:": "" +
		"Otros enlaces a su sitio no se siguieron por motivos del rastreador, no de usted:",
	"What refused it":                "Qué lo rechazó",
	"Why":                            "Por qué",
	"Links":                          "Enlaces",
	"Under your robots.txt of today": "Con su robots.txt de hoy",
	"%s of %d would be closed by your robots.txt as it was found last, on %s. They were made before, " +
		"under the one in force then.": "" +
		"%s de %d quedarían cerradas por su robots.txt tal como se encontró por última vez, el %s. Se " +
		"hicieron antes, con el vigente entonces.",
	"Closed today": "Cerrado hoy",
	"Nothing that was requested would be closed by your robots.txt as it was found last, on %s (%s " +
		"asked).": "" +
		"Nada de lo pedido quedaría cerrado por su robots.txt tal como se encontró por última vez, el %s " +
		"(comprobado con %s).",
	"No robots.txt of yours was found when it was asked for last, so there is nothing to ask.": "" +
		"La última vez que se pidió no se encontró ningún robots.txt suyo, así que no hay nada que comprobar.",
	"If it has changed since: %s tells what the one at hand would close.": "" +
		"Si ha cambiado desde entonces: %s dice qué cerraría el que tenga a mano.",
	"This in your robots.txt keeps it out; it is read again within a day:": "" +
		"Esto en su robots.txt le impide el acceso; se vuelve a leer en el plazo de un día:",
	"Or slow it down with %s, or with status 429 or 503 and %s.": "" +
		"O haga que vaya más despacio con %s, o con el estado 429 o 503 y %s.",
	"How to check this page": "Cómo comprobar esta página",
	"These lines stand for the record as it was when this page was made, with %d lines about all sites.": "" +
		"Estas líneas representan el registro tal como era al hacerse esta página, con %d líneas sobre todos " +
		"los sitios.",
	"The operator has signed them.": "El operador las ha firmado.",
	"Nobody has signed them.":       "Nadie las ha firmado.",
	"Keep them: an operator can rewrite a record as a whole, and only what somebody else kept shows it.": "" +
		"Guárdelas: un operador puede reescribir un registro entero, y solo lo que otro guardó lo demuestra.",
	"Ask the operator for the bundle of your site, if it did not come with this page: one zip file with " +
		"all lines about you, the proof that they are part of the record, and your robots.txt files. The " +
		"free program cybermapper judges it, without anything else:": "" +
		"Pida al operador el paquete de su sitio, si no llegó con esta página: un fichero zip con todas las " +
		"líneas sobre usted, la prueba de que forman parte del registro y sus ficheros robots.txt. El " +
		"programa libre cybermapper lo juzga, sin nada más:",
	"The first works all of this page out again. The second holds it against the log of your own server, " +
		"both ways: what is there that the crawler did not write down, and the other way round. A README.txt " +
		"in the bundle says how to check it with sha256sum and nothing of ours.": "" +
		"La primera orden vuelve a deducir toda esta página. La segunda la coteja con el registro de su " +
		"propio servidor en ambos sentidos: qué hay allí que el rastreador no anotó, y al revés. Un " +
		"README.txt en el paquete dice cómo comprobarlo con sha256sum y sin nada nuestro.",
	"The record is a chain of %d lines in which each names the SHA-256 of the one before. It ended in %s " +
		"when this page was made.": "" +
		"El registro es una cadena de %d líneas en la que cada una nombra el SHA-256 de la anterior. Al " +
		"hacerse esta página acababa en %s.",
	"Keep that number: an operator can rewrite a record as a whole, and only a number that somebody else " +
		"kept shows it.": "" +
		"Guarde ese número: un operador puede reescribir un registro entero, y solo un número que otro " +
		"guardó lo demuestra.",
	"proven":    "demostrado",
	"refuted":   "refutado",
	"not shown": "no demostrado",
	"no case":   "sin casos",
	"the ledger is whole: no record was altered, dropped, inserted or moved": "" +
		"el registro está entero: no se alteró, quitó, insertó ni movió ninguna entrada",
	"every line stands in the ledger of the checkpoint where it says: none was altered, inserted or moved": "" +
		"cada línea está en el registro del punto de control donde dice: ninguna se alteró, insertó ni movió",
	"the ledger continues what was noted of it earlier": "el registro continúa lo que se anotó de él antes",
	"every robots.txt that a decision names is stored as it was, and the rule stands in the line named": "" +
		"cada robots.txt que nombra una decisión está guardado tal como era, y la regla está en la línea " +
		"nombrada",
	"every request had a decision under the robots.txt in force then": "" +
		"cada petición tuvo una decisión según el robots.txt entonces vigente",
	"nothing was requested that robots.txt disallowed":    "no se pidió nada que robots.txt prohibiera",
	"nobody was asked for anything after being opted out": "a nadie se le pidió nada después de ser excluido",
	"no decision rests on a robots.txt older than allowed": "" +
		"ninguna decisión se basa en un robots.txt más antiguo de lo permitido",
	"no gap between requests to a site was shorter than owed, and none was owed that was too short": "" +
		"ninguna pausa entre peticiones a un sitio fue más corta que la debida, ni la debida demasiado corta",
	"a site that asked for a rest, as by 429 or 503, or gave no answer, was left alone as long as the run promises": "" +
		"un sitio que pidió un descanso, como con 429 o 503, o no respondió, se dejó en paz tanto como promete la ejecución",
	"no site had more requests in flight at once than allowed: one": "" +
		"ningún sitio tuvo a la vez más peticiones en curso que las permitidas: una",
	"no site was asked by two nodes under rights that held at once, nor under one that was over": "" +
		"ningún sitio fue consultado por dos nodos con derechos vigentes a la vez, ni con uno ya vencido",
	"no IP address had more requests in flight at once than allowed": "" +
		"ninguna dirección IP tuvo a la vez más peticiones en curso que las permitidas",
	"nothing was requested twice, except robots.txt when due or as a page too, and what had failed or " +
		"was interrupted": "" +
		"nada se pidió dos veces, salvo robots.txt cuando tocaba o también como página, y lo que había " +
		"fallado o se interrumpió",
	"every refusal by robots.txt names the file in force and the rule that decided": "" +
		"cada rechazo por robots.txt nombra el fichero vigente y la regla que decidió",
	"every record is understood, and fits the clocks and the records around it": "" +
		"cada entrada se entiende y concuerda con los relojes y con las entradas vecinas",
	"every page on disk belongs to an allowed request, and is as it was stored": "" +
		"cada página en disco pertenece a una petición permitida y está como se guardó",
	"every line of the list of pages is as it was written": "cada línea de la lista de páginas está como se escribió",
	"every request of ours in the log of the site is on record": "" +
		"cada petición nuestra en el registro del sitio consta en el nuestro",
	"every request on record that was answered is in the log of the site": "" +
		"cada petición respondida de nuestro registro está en el del sitio",
	"the ledger continues what requests in the log of the site say of it": "" +
		"el registro continúa lo que dicen de él las peticiones del registro del sitio",
	"log and record tell the same of each: what was answered, and when": "" +
		"ambos registros dicen lo mismo de cada una: qué se respondió y cuándo",
	"%s, and that is an answer":        "%s, y eso es una respuesta",
	"%s, given up":                     "%s, se abandona",
	"%s, tried again in %s":            "%s, se intenta otra vez en %s",
	"%s; left alone until %s":          "%s; no se le visita hasta %s",
	"(everything)":                     "(todo)",
	"* stands for page=2&":             "* equivale a page=2&",
	", %d of them followed":            ", de ellos se siguen %d",
	"410: gone, and that is an answer": "410: ya no existe, y eso es una respuesta",
	"; stored with it: %s":             "; guardado con ella: %s",
	"Allow makes exceptions, * and $ are wildcards, the longest rule wins (RFC 9309)": "" +
		"Allow hace excepciones, * y $ son comodines, gana la regla más larga (RFC 9309)",
	"Cybermapper visits small sites on this machine, %d of them. This is what they ask of robots:": "" +
		"Cybermapper visita pequeños sitios en esta máquina, %d en total. Esto es lo que piden a los robots:",
	"META noai, and a copy of /master.html":              "META noai, y una copia de /master.html",
	"Or look at it, in a browser: %s":                    "O véalo en un navegador: %s",
	"The crawl: what is asked for, what is not, and why": "El rastreo: qué se pide, qué no, y por qué",
	"The job lies in %s: pages/ as fetched, robots/ by digest,": "" +
		"El trabajo está en %s: pages/ tal como se obtuvieron, robots/ por resumen criptográfico,",
	"The job, as crawl would sum it up":            "El trabajo, tal como lo resumiría crawl",
	"What the servers saw, and what was stored":    "Qué vieron los servidores y qué se guardó",
	"a group that names us replaces the one for *": "un grupo que nos nombra reemplaza al de *",
	"whether the whole site fails; %s":             "si falla el sitio entero; %s",
	"a page that cannot exist, to learn how the site says so; %s": "" +
		"una página que no puede existir, para saber cómo lo dice el sitio; %s",
	"a preference closes nothing":                         "una preferencia no cierra nada",
	"a redirect is a link, to %s":                         "una redirección es un enlace, a %s",
	"a rule is a prefix of the path, and this is not it":  "una regla es un prefijo de la ruta, y este no lo es",
	"a seed, at the pace that is asked for":               "una semilla, al ritmo que se pide",
	"a sitemap may be a list of URLs, one per line":       "un sitemap puede ser una lista de URL, una por línea",
	"a sitemap, not stored: %s, %d of them to be visited": "un sitemap, no se guarda: %s, de ellas se visitarán %d",
	"a vote link: following it would do something":        "un enlace para votar: seguirlo haría algo",
	"an empty Disallow closes nothing":                    "un Disallow vacío no cierra nada",
	"an error at first; asked for again later":            "un error al principio; se pide otra vez más tarde",
	"another id is another page":                          "otro id es otra página",
	"answers 503 to robots.txt: nobody knows its rules, so nothing is asked for": "" +
		"responde 503 a robots.txt: nadie conoce sus reglas, así que no se pide nada",
	"any site":  "cualquier sitio",
	"asked for": "pedida",
	"asked for, not stored (META noindex), its links followed": "pedida, no guardada (META noindex), sus enlaces se siguen",
	"asks for pauses so long that only seeds are visited (from 5 minutes on; in this demo from 2.5 seconds)": "" +
		"pide pausas tan largas que solo se visitan las semillas (desde 5 minutos; en esta demostración desde " +
		"2,5 segundos)",
	"asks for two seconds between requests, which is more than we would have left by ourselves": "" +
		"pide dos segundos entre peticiones, que es más de lo que habríamos dejado nosotros",
	"asks to read its robots.txt again soon; the second time it closes /draft.html, which is in the queue by then": "" +
		"pide que su robots.txt se lea de nuevo pronto; la segunda vez cierra /draft.html, que para entonces " +
		"está en la cola",
	"at that pace links are not worth its while: line 2": "a ese ritmo los enlaces no le valen la pena: línea 2",
	"closed":                                               "cerrada",
	"closed to robots":                                     "cerrada a los robots",
	"closed to robots: it has no end":                      "cerrado a los robots: no tiene fin",
	"closed to robots: it will soon disappear":             "cerrado a los robots: pronto desaparecerá",
	"closed, and a redirect is no way around that":         "cerrado, y una redirección no permite rodearlo",
	"closed, and that a copy names it opens nothing":       "cerrada, y que una copia la nombre no abre nada",
	"differs in nothing that counts: line 2":               "no difiere en nada que cuente: línea 2",
	"does not end in .pdf: $ is the end":                   "no termina en .pdf: $ es el final",
	"ends in .pdf":                                         "termina en .pdf",
	"failed":                                               "falló",
	"its own group lets cybermapper in":                    "su propio grupo deja entrar a cybermapper",
	"its robots.txt, line 2, asks for %s":                  "su robots.txt, línea 2, pide %s",
	"leads into /hidden/, which is closed":                 "lleva a /hidden/, que está cerrado",
	"leads to /new-home.html":                              "lleva a /new-home.html",
	"leads to /round-b, which leads back: a loop, noticed": "lleva a /round-b, que lleva de vuelta: un bucle, advertido",
	"leads to a site that wants no robots":                 "lleva a un sitio que no quiere robots",
	"ledger/ with every request and refusal, report.json with the numbers. Ask it:": "" +
		"ledger/ con cada petición y cada rechazo, report.json con las cifras. Pregúntele:",
	"may be visited, but says what for: no training, no mining; and a page that says whose copy it is": "" +
		"puede visitarse, pero dice para qué: ni entrenamiento ni minería; y una página que dice de cuál es copia",
	"named in a sitemap, but closed to robots":                  "nombrada en un sitemap, pero cerrada a los robots",
	"named in a sitemap, with the day it changed":               "nombrada en un sitemap, con el día en que cambió",
	"named in the other":                                        "nombrada en el otro",
	"next request in %s":                                        "siguiente petición en %s",
	"no page links to it: it was submitted while the crawl ran": "ninguna página la enlaza: se propuso durante el rastreo",
	"no sort= in the query":                                     "no hay sort= en la consulta",
	"noindex says nothing about links":                          "noindex no dice nada de los enlaces",
	"not asked":                                                 "no pedida",
	"not asked for":                                             "no pedida",
	"not stored, its links not followed (X-Robots-Tag: none)":   "no guardada, sus enlaces no se siguen (X-Robots-Tag: none)",
	"not stored: the page asks not to be (noindex)":             "no guardada: la página lo pide (noindex)",
	"nothing speaks against it":                                 "nada se opone",
	"of two rules of equal length Allow wins":                   "de dos reglas de igual longitud gana Allow",
	"only a nofollow page leads here":                           "solo lleva aquí una página nofollow",
	"only a page marked none leads here":                        "solo lleva aquí una página marcada none",
	"only the map below it is closed":                           "solo está cerrado el mapa que tiene debajo",
	"open when it was found, closed before its turn: line 3 of the new file": "" +
		"abierta cuando se halló, cerrada antes de su turno: línea 3 del nuevo archivo",
	"permission does not replace a bound: the map looks endless, so the rest is parked": "" +
		"un permiso no sustituye a un límite: el mapa no parece tener fin, así que el resto se aparta",
	"queued until the window of Visit-time opens; only robots.txt may be asked for now": "" +
		"en cola hasta que se abra la ventana de Visit-time; ahora solo puede pedirse robots.txt",
	"redirects are links, and meet the same rules; a page that fails is tried again": "" +
		"las redirecciones son enlaces y cumplen las mismas reglas; una página que falla se intenta otra vez",
	"robots.txt line %d: %s": "robots.txt, línea %d: %s",
	"rests":                  "en pausa",
	"robots.txt names it; an index of sitemaps, read and not stored": "" +
		"robots.txt lo nombra; un índice de sitemaps, se lee y no se guarda",
	"robots.txt was the first thing asked for at %d of %d sites": "robots.txt fue lo primero que se pidió en %d de %d sitios",
	"says which parameters change nothing (Clean-param)":         "dice qué parámetros no cambian nada (Clean-param)",
	"sitemaps name pages that nothing links to; they are no way around the rules": "" +
		"los sitemaps nombran páginas que nada enlaza; no sirven para rodear las reglas",
	"still inside all bounds": "aún dentro de todos los límites",
	"still open":              "sigue abierta",
	"stored":                  "guardada",
	"stored, none of its links followed (META nofollow)": "guardada, no se sigue ninguno de sus enlaces (META nofollow)",
	"stored: its X-Robots-Tag names another robot":       "guardada: su X-Robots-Tag nombra a otro robot",
	"submitted while the crawl runs%s":                   "propuesta durante el rastreo%s",
	"the configuration asks for %s":                      "la configuración pide %s",
	"the end of a redirect":                              "el final de una redirección",
	"the first example of the 1994 standard: three places are closed to every robot": "" +
		"el primer ejemplo del estándar de 1994: tres lugares están cerrados a todo robot",
	"the first of its kind, asked for as it was linked": "la primera de su clase, pedida tal como se enlazó",
	"the index names it":                                   "lo nombra el índice",
	"the longer Allow wins over the shorter Disallow":      "el Allow más largo gana al Disallow más corto",
	"the only link to it is marked rel=nofollow":           "el único enlace a ella está marcado rel=nofollow",
	"the rules come first; %s":                             "las reglas van primero; %s",
	"the same bytes as /original.html: noted, stored once": "los mismos bytes que /original.html: se anota, se guarda una vez",
	"the same segment again and again: a trap":             "el mismo segmento una y otra vez: una trampa",
	"the second example: cybermapper may go everywhere, even where the space is infinite": "" +
		"el segundo ejemplo: cybermapper puede ir a todas partes, incluso donde el espacio es infinito",
	"the seed; it has no links":                       "la semilla; no tiene enlaces",
	"the shortest pause at %s was %s (before %s); %s": "la pausa más corta en %s fue de %s (antes de %s); %s",
	"the third example: robots, go away":              "el tercer ejemplo: robots, fuera",
	"the whole site is closed to robots":              "todo el sitio está cerrado a los robots",
	"two more seconds later":                          "otros dos segundos después",
	"two seconds later":                               "dos segundos después",
	"until robots.txt can be fetched, the whole site counts as closed": "" +
		"mientras no se pueda obtener robots.txt, todo el sitio cuenta como cerrado",
	"welcomes visits at another time of the day (UTC): its pages stay queued until then": "" +
		"acepta visitas a otra hora del día (UTC): hasta entonces sus páginas quedan en cola",
	"what a page may ask for itself: META ROBOTS, X-Robots-Tag, rel=nofollow": "" +
		"lo que una página puede pedir para sí: META ROBOTS, X-Robots-Tag, rel=nofollow",
	"what its pages may be used for (TDMRep); %s": "para qué pueden usarse sus páginas (TDMRep); %s",
	"what may be mined (TDMRep): asked for before the pages, for robots.tdmrep_file says so": "" +
		"qué puede minarse (TDMRep): se pide antes que las páginas, porque así lo dice robots.tdmrep_file",
}
