package audit

import (
	"slices"
	"strings"
)

// programs are names of what is no crawler, in lower case, by what they are. The roster, which knows whose a name is, counts first.
var programs = classesOf(map[Class]string{
	ClassFeedReader: `feedly feedbin newsblur inoreader theoldreader netnewswire newsboat newsbeuter liferea akregator thunderbird
		reeder vienna freshrss miniflux selfoss commafeed tt-rss tiny rssowl quiterss fluent feedparser universalfeedparser
		simplepie magpierss feedburner feedvalidator feeder feedspot feedfetcher windows-rss-platform apple-pubsub unread blogtrottr
		bazqux yarr elfeed rss2email newsgator netvibes superfeedr feedwind readkit snownews raven rawdog planet venus feedpress
		feedhq feedlybot newsify flipboardrss overcast antennapod podcasts podcast podcastaddict itunes itms castro pocketcasts
		pocket-casts castbox podbean podkicker gpodder doggcatcher beyondpod downcast icatcher rssradio player podverse fountain
		castamatic spotify stitcher tunein deezer audible applecoremedia atc amazonmusic podchaser podcastindex goodpods wondery
		breaker google-podcast vlc libvlc mpv mplayer kodi stagefright exoplayer gstreamer lavf libmpv foobar winamp nsplayer
		wmplayer quicktime musicbee podimo`,
	ClassMonitor: `uptimerobot uptime-kuma uptimekuma pingdom pingdombot statuscake monit nagios check_http icinga zabbix blackbox
		blackbox-exporter prometheus datadog datadogsynthetics newrelicpinger site24x7 site freshping hetrixtools betteruptime
		updown updownio nodeping cronitor uptrends uptimia gomezagent catchpoint dynatrace ruxit newrelic elastic-heartbeat
		heartbeat kube-probe googlehc elb-healthchecker amazon-route amazon-route-53-health-check-service haproxy healthcheck
		health-check consul gatus statping appinsights google-cloud-monitoring googlestackdrivermonitoring checkly uptime montastic
		alertsite keynote ohdear hyperping freshpingbot newrelicbot nixstatsbot wormlybot websitepulse watchmouse updown.io
		isdownbot urlwatch honeybadgerbot hosttracker checkhost ruxitsynthetic cloudflare-alwaysonline cloudflare-traffic-manager
		w3c-checklink w3c-mobileok validator.nu downtimedetector uptimebot pulsetic.com solarwinds splunk qualys sitelock websiteops
		jetmon jetpack serverdensity panopta freshworks rigor pageping happyapps cula`,
	ClassCertificate: `acme acme-challenge certbot letsencrypt boulder sectigo zerossl digicert globalsign buypass ssl`,
	ClassPreview: `mastodon pleroma akkoma misskey friendica gotosocial lemmy peertube diaspora pixelfed hubzilla wordpress.com
		embedly iframely slackbot slackbot-linkexpanding discordbot telegrambot whatsapp viber line linespider kakaotalk-scrap
		kakaotalk skype signal zulip mattermost matrix synapse snapchat pinterestbot tumblr bitlybot bluesky cardyb vkshare
		xing-contenttabreceiver flipboardproxy outbrain blueskypreviewbot mattermost-bot groupmebot keybasebot
		mediumbot-metatagfetcher meta-externalhit pinterest quora-bot summalybot evernoterichlinkbot dingtalkbot-linkservice
		github-camo microsoftpreview vkrobot yahoomailproxy discourse opengraph.io facebookcatalog facebot iframelybot nuzzel trello
		unfurl unfurlist element`,
	ClassTool: `curl libcurl wget aria axel httpie xh lwp-request libwww-perl lwp python python-urllib python-requests python-httpx
		httpx aiohttp urllib urllib3 go-http-client okhttp java jakarta apache-httpclient httpclient ruby faraday guzzlehttp php
		pear node node-fetch axios undici got superagent postmanruntime postman insomnia restsharp dart reqwest hyper ureq winhttp
		powershell windowspowershell microsoft-webdav-miniredir davfs gvfs git jgit svn apt debian dnf yum libdnf pacman pip npm
		yarn cargo composer maven gradle homebrew docker containerd skopeo wordpress mediawiki perl emacs url ab siege wrk hey
		vegeta jmeter k6 gatling locust nikto nmap zgrab masscan sqlmap dirbuster gobuster ffuf wpscan fasthttp rest-client typhoeus
		httpunit httrack-none offline lftp elinks-tool outlook microsoft word excel powerpoint libreoffice owncloud nextcloud mirall
		rclone winscp cyberduck cfnetwork apple-ipad dataaccessd calendaragent accountsd trustd safari safarifetcherd itunesstored
		com.apple.safari.searchhelper networkingextension webkit alamofire valve roblox unityplayer unity unrealengine crkey
		chromecast bravia nintendo playstation windows-update-agent microsoft-cryptoapi microsoft-delivery-optimization avast avg
		nuclei feroxbuster dirsearch wapiti arachni wfuzz zmeu
		norton kaspersky linkchecker linklint xenu w3c_validator jigsaw zotero pocket wallabag instapaper readwise omnivore aria2
		fuzz apachebench wget2 mercurial zsync dependabot-core renovatebot`,
	ClassBrowser: `lynx w3m links elinks dillo netsurf dalvik ucweb ucbrowser blackberry cubot nokia samsung sonyericsson mot lg zte
		htc huawei opera operamini konqueror netfront mqqbrowser doris qtweb midori epiphany galeon iceweasel icab amaya arora
		retawq offbyone edbrowse browsh ladybird serenityos ibrowse aweb voyager netpositive contiki surf uzbl vimb luakit
		qutebrowser eww emacs-w3m chawan offpunk mozilla firefox chrome chromium edge seamonkey palemoon waterfox k-meleon kindle
		instagram fban flipboard duckduckgo brave vivaldi silk puffin phantom nintendobrowser polaris obigo teleca jasmine
		maui_wap_browser bolt teashark maemo meego series portalmmm doco docomo kddi softbank vodafone j-phone up.browser sie
		alcatel philips panasonic sharp toshiba amoi benq micromax karbonn`,
})

// scanners are tools that look for holes in what a site runs, by names in lower case.
var scanners = setOf(`acunetix arachni commix dirbuster dirsearch feroxbuster ffuf fuzz gobuster havij jaeles morfeus nessus nikto
	nuclei openvas skipfish sqlmap w3af w3af.org wapiti wfuzz wpscan xsser zmeu`)

func setOf(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

// phrases say in a User-Agent what it is of, in lower case, unless its name says that it crawls.
var phrases = []struct {
	text  string
	class Class
}{
	{"let's encrypt", ClassCertificate}, {"letsencrypt", ClassCertificate}, {"acme-", ClassCertificate},
	{"certificate valid", ClassCertificate}, {" dcv", ClassCertificate}, {"uptime", ClassMonitor}, {"monitor", ClassMonitor},
	{"healthcheck", ClassMonitor}, {"health-check", ClassMonitor}, {"health check", ClassMonitor}, {"pingdom", ClassMonitor},
	{"subscriber", ClassFeedReader}, {"podcast", ClassFeedReader}, {"rss", ClassFeedReader}, {"feed", ClassFeedReader},
	{"atom/", ClassFeedReader}, {"unfurl", ClassPreview}, {"linkpreview", ClassPreview}, {"link preview", ClassPreview},
	{"link-check", ClassTool}, {"linkcheck", ClassTool}, {"link check", ClassTool},
	{"mastodon/", ClassPreview}, {"url preview", ClassPreview}, {"uripreview", ClassPreview}, {"preview service", ClassPreview},
}

// onDemand are parts of User-Agents, in lower case, with which a known robot acts for a person who waits.
var onDemand = []string{"wayback machine live record", "wayback save page", "save page now"}

// libraries are what apps are made with, whatever they call themselves: somebody has chosen what they get.
var libraries = []string{" cfnetwork/", " darwin/", "okhttp/", " dalvik/", "(dart:io)", " alamofire/", " electron/"}

func classesOf(lists map[Class]string) map[string]Class {
	m := map[string]Class{}
	for class, names := range lists {
		for _, name := range strings.Fields(names) {
			m[name] = class
		}
	}
	return m
}

// withoutMail takes the mail addresses out of a User-Agent: who has one for feedback reads no feeds.
func withoutMail(agent string) string {
	if !strings.Contains(agent, "@") {
		return agent
	}
	words := strings.FieldsFunc(agent, func(r rune) bool { return strings.ContainsRune(" ;,()", r) })
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return strings.Contains(word, "@") }), " ")
}

// programOf says what a program that gives a name, in lower case, and a User-Agent is known or said to be; ClassUnknown if nothing
// is.
func programOf(name, agent string) Class {
	if c, ok := programs[name]; ok {
		return c
	}
	said := strings.ReplaceAll(withoutMail(agent), "backlink", "") // who checks those of a site crawls all others
	for _, p := range phrases {
		crawls := saysCrawler(name) || p.class == ClassTool && endsLikeCrawler(name)
		if !crawls && strings.Contains(said, p.text) {
			return p.class
		}
	}
	if strings.HasSuffix(name, "-user") {
		return ClassUserTriggered
	}
	isOf := func(library string) bool { return strings.Contains(agent, library) }
	if !soundsLikeCrawler(agent) && slices.ContainsFunc(libraries, isOf) {
		return ClassTool
	}
	return ClassUnknown
}
