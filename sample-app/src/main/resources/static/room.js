/* What a server cannot do: the countdown, the slider while it is dragged, and the banner without a server. */
'use strict';

(() => {
	const byId = (id) => document.getElementById(id);

	/* Banner while the control room is offline. It sends its time at least once a second. */

	const MAX_SILENCE = 5000;
	let lastEvent = performance.now();

	function showOffline(away) {
		const offline = byId('offline');
		document.body.dataset.live = String(!away);
		if (away === (offline.childElementCount > 0)) {
			return;
		}
		offline.replaceChildren();
		if (away) {
			const banner = document.createElement('p');
			banner.className = 'banner';
			const title = document.createElement('strong');
			title.textContent = 'The control room is offline. ';
			banner.append(title, 'The page shows the last known state and reconnects automatically.');
			offline.append(banner);
		}
	}

	document.body.addEventListener('htmx:sseError', () => showOffline(true));
	document.body.addEventListener('htmx:sseBeforeMessage', () => {
		lastEvent = performance.now();
		showOffline(false);
	});
	setInterval(() => {
		if (source && performance.now() - lastEvent > MAX_SILENCE) {
			showOffline(true);
		}
	}, 1000);

	/* A hidden page gives its connection back, because a browser opens only six to one host. */

	const HIDDEN = 5000;
	const live = byId('live');
	let source = null;
	let hiddenTimer = 0;

	htmx.createEventSource = (url) => {
		source = new EventSource(url);
		return source;
	};

	document.addEventListener('visibilitychange', () => {
		clearTimeout(hiddenTimer);
		if (document.hidden) {
			hiddenTimer = setTimeout(() => {
				source?.close();
				source = null;
			}, HIDDEN);
		}
		else if (!source) {
			lastEvent = performance.now();
			htmx.trigger(live, 'htmx:afterProcessNode');
		}
	});

	/* A new connection brings everything again. Screen readers read an alert aloud when it changes, so it stays. */

	const text = (node) => node.textContent.replace(/\s+/g, ' ').trim();

	document.body.addEventListener('htmx:oobBeforeSwap', (event) => {
		const { target, fragment } = event.detail;
		if (target.getAttribute('role') === 'alert' && text(target) === text(fragment)) {
			event.detail.shouldSwap = false;
		}
	});

	/* The focus of a deleted key moves to its neighbor. */

	let focusedRow = null;
	let neighbor = null;

	document.body.addEventListener('htmx:sseBeforeMessage', () => {
		focusedRow = document.activeElement.closest('#keys tr');
		neighbor = focusedRow && (focusedRow.nextElementSibling || focusedRow.previousElementSibling);
	});
	document.body.addEventListener('htmx:sseMessage', () => {
		if (neighbor && !byId(focusedRow.id)) {
			neighbor.querySelector('button').focus({ preventScroll: true });
		}
	});

	/* A button that failed says why. */

	let problemEnd;

	function showProblem(text) {
		const problem = document.createElement('p');
		problem.className = 'banner note-only';
		problem.textContent = text;
		byId('problem').replaceChildren(problem);
		clearTimeout(problemEnd);
		problemEnd = setTimeout(() => byId('problem').replaceChildren(), 10000);
	}

	document.body.addEventListener('htmx:responseError', (event) => {
		const type = event.detail.xhr.getResponseHeader('Content-Type') || '';
		showProblem(type.startsWith('text/plain') ? event.detail.xhr.responseText
			: `The control room answered with status ${event.detail.xhr.status}.`);
	});
	document.body.addEventListener('htmx:sendError', () => showProblem('The control room did not answer. Try again.'));

	/* Lease: counts down from what the server has sent. */

	let lease = null;
	let leaseEnd = 0;

	function countDown() {
		const bar = byId('lease');
		if (bar !== lease) {
			lease = bar;
			leaseEnd = bar ? performance.now() + Number(bar.getAttribute('value')) : 0;
		}
		if (bar) {
			const remaining = Math.max(0, leaseEnd - performance.now());
			bar.value = remaining;
			bar.classList.toggle('low', remaining < bar.max / 3);
			byId('lease-seconds').textContent = remaining > 0 ? `${(remaining / 1000).toFixed(1)} s` : 'expired';
		}
	}

	setInterval(countDown, 100);

	/* Setpoint: follows the store, except while this page moves it. */

	const SEND_INTERVAL = 100;
	const SETTLE = 1000;
	const setpoint = byId('setpoint');
	let dragging = false;
	let lastActivity = -SETTLE;
	let sendTimer = 0;
	let lastSend = 0;
	let sent = null;

	function send() {
		sendTimer = 0;
		if (setpoint.value !== sent) {
			sent = setpoint.value;
			lastSend = performance.now();
			htmx.trigger(setpoint, 'send');
		}
	}

	function scheduleSend() {
		lastActivity = performance.now();
		if (!sendTimer) {
			sendTimer = setTimeout(send, Math.max(0, lastSend + SEND_INTERVAL - performance.now()));
		}
	}

	function follow() {
		const value = byId('setpoint-value').querySelector('[data-degrees]');
		const sending = sendTimer || setpoint.classList.contains('htmx-request');
		const moving = dragging || sending || performance.now() - lastActivity < SETTLE;
		if (value && !moving && setpoint.value !== value.dataset.degrees) {
			setpoint.value = value.dataset.degrees;
			sent = null;
		}
	}

	setpoint.addEventListener('pointerdown', () => {
		dragging = true;
	});
	for (const end of ['pointerup', 'pointercancel']) {
		window.addEventListener(end, () => {
			dragging = false;
		});
	}
	setpoint.addEventListener('input', scheduleSend);
	setpoint.addEventListener('change', scheduleSend);
	setpoint.addEventListener('htmx:afterRequest', () => {
		lastActivity = performance.now();
	});
	setInterval(follow, 100);

	/* History: keys that have appeared since the page was loaded can be chosen, too. */

	let chosenKey = '';

	function listKeys(event) {
		if (event.target.id === 'history-key') {
			const listed = new Set([...event.target.options].map((option) => option.value));
			for (const { dataset } of document.querySelectorAll('#keys tr')) {
				if (!listed.has(dataset.parameter)) {
					event.target.add(new Option(dataset.key, dataset.parameter));
				}
			}
		}
	}

	document.body.addEventListener('pointerover', listKeys);
	document.body.addEventListener('focusin', listKeys);
	document.body.addEventListener('htmx:beforeSwap', (event) => {
		if (event.target.id === 'history-key') {
			chosenKey = event.target.value;
		}
	});
	document.body.addEventListener('htmx:afterSwap', (event) => {
		if (event.target.id === 'history-key') {
			event.target.value = chosenKey;
		}
	});

	/* History: shows the deletion of the chosen key. */

	let chosenKeyExists = false;

	document.body.addEventListener('htmx:sseMessage', () => {
		const select = byId('history-key');
		const exists = Boolean(select?.value) && Boolean(document.querySelector(`#keys tr[data-parameter="${select.value}"]`));
		if (chosenKeyExists && !exists && select.value) {
			htmx.trigger(select, 'change');
		}
		chosenKeyExists = exists;
	});

	/* History: the slider chooses a moment. */

	function showMoment(slider) {
		const part = (slider.value - slider.min) / (slider.max - slider.min);
		const x = 10 + part * 980;
		const line = byId('moment-line');
		line.setAttribute('x1', x);
		line.setAttribute('x2', x);
		slider.setAttribute('aria-valuetext', new Date(Number(slider.value)).toLocaleString());
		let current = null;
		for (const row of document.querySelectorAll('#history-changes tr')) {
			const before = Number(row.dataset.millis) <= Number(slider.value);
			row.classList.toggle('current', before && !current);
			current = before && !current ? row : current;
		}
		const box = document.querySelector('#history-changes')?.closest('.scroll');
		if (box && current) {
			const distance = current.getBoundingClientRect().top - box.getBoundingClientRect().top;
			if (distance < 0 || distance + current.offsetHeight > box.clientHeight) {
				box.scrollTop += distance - (box.clientHeight - current.offsetHeight) / 2;
			}
		}
	}

	function moveTo(moment) {
		const slider = byId('moment');
		slider.value = moment;
		showMoment(slider);
		htmx.trigger(slider, 'moment');
	}

	function step(direction) {
		const now = Number(byId('moment').value);
		const moments = [...document.querySelectorAll('#history-changes tr')].map((row) => Number(row.dataset.millis));
		const next = moments.filter((moment) => (moment - now) * direction > 0.5)
			.sort((one, other) => (one - other) * direction)[0];
		if (next !== undefined) {
			moveTo(next);
		}
	}

	document.body.addEventListener('input', (event) => {
		if (event.target.id === 'moment') {
			showMoment(event.target);
			htmx.trigger(event.target, 'moment');
		}
	});
	document.body.addEventListener('click', (event) => {
		const chosen = event.target.closest('[data-moment]');
		if (chosen) {
			moveTo(chosen.dataset.moment);
		}
		else if (event.target.id === 'moment-previous') {
			step(-1);
		}
		else if (event.target.id === 'moment-next') {
			step(1);
		}
	});
	document.body.addEventListener('htmx:afterSwap', (event) => {
		const slider = event.target.querySelector && event.target.querySelector('#moment');
		if (slider) {
			showMoment(slider);
		}
	});
})();
