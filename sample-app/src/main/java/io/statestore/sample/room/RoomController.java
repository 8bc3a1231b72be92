package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import org.thymeleaf.ITemplateEngine;
import org.thymeleaf.context.Context;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Handles requests for the page, which a script repeats continually, and for its buttons.
 */
@RestController
class RoomController {

	private static final Duration INTERVAL = Duration.ofMillis(200);

	private final ITemplateEngine templates;

	private final RoomProperties properties;

	private final Line line;

	private final Presses presses;

	private final Brokers brokers;

	private final LineBroker broker;

	private final LineActions actions;

	private String page = "";

	private Instant rendered = Instant.MIN;

	RoomController(ITemplateEngine templates, RoomProperties properties, Line line, Presses presses, Brokers brokers,
			LineBroker broker, LineActions actions) {
		this.templates = templates;
		this.properties = properties;
		this.line = line;
		this.presses = presses;
		this.brokers = brokers;
		this.broker = broker;
		this.actions = actions;
	}

	/** Renders the page at most five times a second for all viewers together. */
	@GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
	synchronized String room() {
		Instant now = Instant.now();
		if (now.isAfter(this.rendered.plus(INTERVAL))) {
			this.rendered = now;
			this.page = this.templates.process("room", new Context(Locale.ENGLISH, state()));
		}
		return this.page;
	}

	/** Renders the page before the presses start, so that the first request is fast. */
	@EventListener(ApplicationStartedEvent.class)
	void firstPage() {
		room();
	}

	private Map<String, Object> state() {
		Map<String, Object> state = new HashMap<>();
		state.put("changes", this.line.changes());
		state.put("keyCount", this.line.keys().size());
		state.put("line", this.line);
		state.put("leadership", this.line.leadership());
		state.put("rejected", this.line.rejected());
		state.put("machines", this.presses.machines());
		state.put("brokers", this.brokers.states());
		state.put("port", this.brokers.ports().get(0));
		state.put("properties", this.properties);
		state.put("now", LocalTime.now().truncatedTo(ChronoUnit.SECONDS));
		state.put("minSetpoint", LineActions.MIN_SETPOINT);
		state.put("maxSetpoint", LineActions.MAX_SETPOINT);
		return state;
	}

	@PostMapping("/presses/{press}/{action:pause|resume|kill|start|cut}")
	void press(@PathVariable String press, @PathVariable String action) {
		switch (action) {
			case "pause" -> this.presses.pause(press);
			case "resume" -> this.presses.get(press).resume();
			case "kill" -> this.presses.get(press).kill();
			case "start" -> this.presses.get(press).start();
			default -> this.presses.cut(press);
		}
	}

	@PostMapping("/leader/resign")
	void resign() {
		this.actions.resign();
	}

	@PostMapping("/brokers/{broker}/kill")
	void killBroker(@PathVariable String broker) {
		this.actions.killBroker(broker);
	}

	@PostMapping("/brokers/{broker}/start")
	void startBroker(@PathVariable String broker) {
		this.brokers.get(broker).start();
	}

	@PostMapping("/broker/restart")
	void restartBroker() {
		this.broker.restart();
	}

	@PostMapping("/setpoint")
	void changeSetpoint(@RequestParam double degrees) {
		this.actions.changeSetpoint(degrees);
	}

	@ExceptionHandler({ IllegalArgumentException.class, IllegalStateException.class, StateStoreException.class })
	ResponseEntity<String> failed(RuntimeException ex) {
		HttpStatus status = HttpStatus.BAD_REQUEST;
		if (ex instanceof IllegalStateException || ex instanceof StateStoreRefusedException) {
			status = HttpStatus.CONFLICT;
		}
		else if (ex instanceof StateStoreException) {
			status = HttpStatus.SERVICE_UNAVAILABLE;
		}
		return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(String.valueOf(ex.getMessage()));
	}

}
