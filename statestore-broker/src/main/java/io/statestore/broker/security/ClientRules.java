package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** The rules of a file that are for one client. Thread-safe. */
final class ClientRules implements Permissions {

	private final List<KeyRule> readable = new ArrayList<>();

	private final List<KeyRule> writable = new ArrayList<>();

	private final TopicRules subscribable;

	private final TopicRules publishable;

	private final @Nullable Integer administration;

	/**
	 * Selects rules.
	 * @param rules the rules of the file
	 * @param client the client
	 */
	ClientRules(List<Rule> rules, Client client) {
		List<TopicPattern> subscribed = new ArrayList<>();
		List<Integer> subscribedLines = new ArrayList<>();
		List<TopicPattern> published = new ArrayList<>();
		List<Integer> publishedLines = new ArrayList<>();
		Integer administration = null;
		for (Rule rule : rules) {
			if (!rule.subject().includes(client.principal())) {
				continue;
			}
			KeyPattern key = (rule.target() == Rule.Target.KEY) ? rule.keyFor(client) : null;
			if (key != null) {
				addTo(this.readable, rule.read(), key, rule.line());
				addTo(this.writable, rule.write(), key, rule.line());
			}
			TopicPattern topic = (rule.target() == Rule.Target.TOPIC) ? rule.topicFor(client) : null;
			if (topic != null && rule.read()) {
				subscribed.add(topic);
				subscribedLines.add(rule.line());
			}
			if (topic != null && rule.write()) {
				published.add(topic);
				publishedLines.add(rule.line());
			}
			if (rule.target() == Rule.Target.ADMINISTRATION && administration == null) {
				administration = rule.line();
			}
		}
		this.subscribable = new TopicRules(subscribed, subscribedLines);
		this.publishable = new TopicRules(published, publishedLines);
		this.administration = administration;
	}

	private static void addTo(List<KeyRule> rules, boolean permitted, KeyPattern pattern, int line) {
		if (permitted) {
			rules.add(new KeyRule(pattern, line));
		}
	}

	@Override
	public boolean mayRead(Bytes key) {
		return permits(this.readable, key);
	}

	@Override
	public boolean mayWrite(Bytes key) {
		return permits(this.writable, key);
	}

	private static boolean permits(List<KeyRule> rules, Bytes key) {
		// Called for each request: without an iterator.
		for (int i = 0; i < rules.size(); i++) {
			if (rules.get(i).pattern.matches(key)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public boolean maySubscribe(String filter) {
		return this.subscribable.cover(filter);
	}

	@Override
	public boolean mayPublish(String topic) {
		return this.publishable.cover(topic);
	}

	@Override
	public boolean mayAdminister() {
		return this.administration != null;
	}

	/** Returns the lines that permit reading a key, empty if it is denied. */
	List<Integer> linesReading(Bytes key) {
		return lines(this.readable, key);
	}

	/** Returns the lines that permit writing a key, empty if it is denied. */
	List<Integer> linesWriting(Bytes key) {
		return lines(this.writable, key);
	}

	private static List<Integer> lines(List<KeyRule> rules, Bytes key) {
		return rules.stream().filter((rule) -> rule.pattern.matches(key)).map(KeyRule::line).toList();
	}

	/** Returns the lines that permit a subscription, empty if it is denied. */
	List<Integer> linesSubscribing(String filter) {
		return lines(this.subscribable, filter);
	}

	/** Returns the lines that permit publishing, empty if it is denied. */
	List<Integer> linesPublishing(String topic) {
		return lines(this.publishable, topic);
	}

	private static List<Integer> lines(TopicRules rules, String filter) {
		var lines = rules.covering(filter);
		return (lines != null) ? List.copyOf(lines) : List.of();
	}

	/** Returns the line that permits administration, empty if it is denied. */
	List<Integer> linesAdministering() {
		return (this.administration != null) ? List.of(this.administration) : List.of();
	}

	/** A pattern with the line of its rule. */
	private record KeyRule(KeyPattern pattern, int line) {
	}

}
