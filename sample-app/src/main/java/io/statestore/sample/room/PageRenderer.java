package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import org.thymeleaf.ITemplateEngine;
import org.thymeleaf.context.Context;

import org.springframework.stereotype.Component;

/** Renders the page and its updates. */
@Component
class PageRenderer {

	private final ITemplateEngine templates;

	private final Line line;

	private final LineControl control;

	/** Identifies this start of the room, because each start numbers its log anew. */
	private final String run = UUID.randomUUID().toString();

	private final Clock clock = Clock.systemUTC();

	PageRenderer(ITemplateEngine templates, Line line, LineControl control) {
		this.templates = templates;
		this.line = line;
		this.control = control;
	}

	PageState state() {
		return PageState.of(this.line, this.control);
	}

	String run() {
		return this.run;
	}

	/** Returns everything that the first response shows. */
	Map<String, Object> model(PageState state) {
		Map<String, Object> model = new HashMap<>();
		Instant now = this.clock.instant();
		model.put("state", state);
		model.put("run", this.run);
		model.put("brokerName", this.line.brokerName());
		model.put("leader", LeaderView.of(state.leadership(), now));
		addRejected(model, state);
		model.put("machines", MachineView.of(state.machines(), state.canPause()));
		model.put("keys", KeyView.of(state.keys()));
		model.put("log", LogView.of(state.log()));
		model.put("now", time(now));
		return model;
	}

	private static void addRejected(Map<String, Object> model, PageState state) {
		RejectedView rejected = RejectedView.of(state.rejected());
		if (rejected != null) {
			model.put("rejected", rejected);
		}
	}

	/**
	 * Returns an event that replaces everything.
	 * @param withLog whether it replaces the event log, which screen readers read aloud
	 */
	byte[] everything(PageState state, boolean withLog) {
		Map<String, Object> model = model(state);
		model.put("withLog", withLog);
		return render("everything", model);
	}

	/** Returns an event with what has changed. */
	byte[] update(PageState before, PageState now) {
		Map<String, Object> model = new HashMap<>();
		Instant instant = this.clock.instant();
		model.put("state", now);
		model.put("before", before);
		model.put("brokerName", this.line.brokerName());
		model.put("leader", LeaderView.of(now.leadership(), instant));
		addRejected(model, now);
		model.put("update", PageUpdate.between(before, now));
		model.put("now", time(instant));
		return render("update", model);
	}

	/** Returns an event with the time only, which shows that the room is there. */
	byte[] heartbeat() {
		return render("heartbeat", Map.of("now", time(this.clock.instant())));
	}

	private static String time(Instant instant) {
		return LogView.time(instant).substring(0, 8);
	}

	private byte[] render(String template, Map<String, Object> model) {
		return event(this.templates.process("events/" + template, new Context(Locale.ENGLISH, model)));
	}

	/** Returns an event with a data field per line. A line break would end the field. */
	static byte[] event(String html) {
		StringBuilder event = new StringBuilder("event: room\n");
		html.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty())
			.forEach((line) -> event.append("data: ").append(line).append('\n'));
		return event.append('\n').toString().getBytes(StandardCharsets.UTF_8);
	}

}
