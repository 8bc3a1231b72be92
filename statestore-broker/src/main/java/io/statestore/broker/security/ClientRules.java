package io.statestore.broker.security;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

import io.statestore.protocol.Bytes;

/** Rules of a file that apply to one connected client. Thread-safe. */
final class ClientRules {

	/** The rules that the client has in common with all clients of its user. */
	private final SelectedRules shared;

	/** The rules that depend on the client id. */
	private final SelectedRules own;

	private final TopicRules subscribable;

	private final TopicRules publishable;

	/**
	 * Combines rules.
	 * @param shared the rules of the user
	 * @param own the rules that depend on the client id
	 */
	ClientRules(SelectedRules shared, SelectedRules own) {
		this.shared = shared;
		this.own = own;
		this.subscribable = new TopicRules(shared.subscribable(), own.subscribable());
		this.publishable = new TopicRules(shared.publishable(), own.publishable());
	}

	boolean mayRead(Bytes key) {
		return mayRead(new KeyCheck(key));
	}

	boolean mayRead(Bytes key, LongConsumer steps) {
		KeyCheck check = new KeyCheck(key);
		boolean permitted = mayRead(check);
		steps.accept(check.steps());
		return permitted;
	}

	private boolean mayRead(KeyCheck check) {
		return check.matchesAny(this.shared.readable()) || check.matchesAny(this.own.readable());
	}

	boolean mayWrite(Bytes key) {
		KeyCheck check = new KeyCheck(key);
		return check.matchesAny(this.shared.writable()) || check.matchesAny(this.own.writable());
	}

	boolean maySubscribe(String filter) {
		return this.subscribable.cover(filter);
	}

	boolean mayPublish(String topic) {
		return this.publishable.cover(topic);
	}

	boolean mayAdminister() {
		return this.shared.administration() != null || this.own.administration() != null;
	}

	/** Returns the lines that permit reading a key, empty if it is denied. */
	List<Integer> linesReading(Bytes key) {
		return lines(key, this.shared.readable(), this.own.readable());
	}

	/** Returns the lines that permit writing a key, empty if it is denied. */
	List<Integer> linesWriting(Bytes key) {
		return lines(key, this.shared.writable(), this.own.writable());
	}

	private static List<Integer> lines(Bytes key, List<KeyRule> shared, List<KeyRule> own) {
		KeyCheck check = new KeyCheck(key);
		return Stream.concat(shared.stream(), own.stream())
			.filter((rule) -> check.matches(rule.pattern()))
			.map(KeyRule::line)
			.toList();
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

}
