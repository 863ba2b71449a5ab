package translate

import "golang.org/x/text/feature/plural"

var spanishPlurals = plurals{
	"%d sites": {plural.One, "%d sitio", plural.Other, "%d sitios"},
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
}
