package io.statestore.broker.security;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import io.statestore.protocol.TopicFilter;
import org.jspecify.annotations.Nullable;

/** The topic filters that a client may use for one action. Thread-safe. */
final class TopicRules {

	/** A level that occurs in no rule. */
	private static final String OTHER = "\0";

	private final List<TopicRule> shared;

	private final List<TopicRule> own;

	private final int depth;

	private volatile Decision last = new Decision("", false);

	/**
	 * Creates rules.
	 * @param shared the filters that the client has in common with others
	 * @param own further filters
	 */
	TopicRules(List<TopicRule> shared, List<TopicRule> own) {
		this.shared = List.copyOf(shared);
		this.own = List.copyOf(own);
		this.depth = Math.max(depth(shared), depth(own));
	}

	private static int depth(List<TopicRule> rules) {
		return rules.stream().mapToInt((rule) -> rule.filter().split("/", -1).length).max().orElse(0);
	}

	/**
	 * Returns whether the filters together match all topics that a filter matches.
	 * @param filter a topic filter or a topic
	 */
	boolean cover(String filter) {
		if (this.shared.isEmpty() && this.own.isEmpty()) {
			return false;
		}
		// Most clients send many messages on the same topic.
		Decision last = this.last;
		if (last.filter.equals(filter)) {
			return last.permitted;
		}
		boolean permitted = covering(filter) != null;
		this.last = new Decision(filter, permitted);
		return permitted;
	}

	/**
	 * Returns the lines of the filters that together match all topics of a filter.
	 * @param filter a topic filter or a topic
	 * @return the lines, or {@code null} if a topic matches no filter
	 */
	@Nullable SortedSet<Integer> covering(String filter) {
		SortedSet<Integer> lines = new TreeSet<>();
		return TopicFilter.isValid(filter) && addCovering(filter, lines) ? lines : null;
	}

	/**
	 * Checks examples of the topics that match a filter: with a level that occurs in no
	 * rule in place of each {@code +}, and with zero or more of them in place of
	 * {@code #}. A rule that matches such an example matches the same topic with any
	 * other level in this place. A rule that matches more levels than every rule has ends
	 * with {@code #}, and matches all longer topics, too.
	 */
	private boolean addCovering(String filter, SortedSet<Integer> lines) {
		String example = filter.replace("+", OTHER);
		if (!example.endsWith("#")) {
			return addMatching(example, lines);
		}
		int rest = example.length() - 1;
		if (rest > 0 && !addMatching(example.substring(0, rest - 1), lines)) {
			return false;
		}
		example = example.substring(0, rest) + OTHER;
		for (int i = 0; i <= this.depth; i++) {
			if (!addMatching(example, lines)) {
				return false;
			}
			example += '/' + OTHER;
		}
		return true;
	}

	private boolean addMatching(String topic, SortedSet<Integer> lines) {
		return addMatching(this.shared, topic, lines) || addMatching(this.own, topic, lines);
	}

	private static boolean addMatching(List<TopicRule> rules, String topic, SortedSet<Integer> lines) {
		for (TopicRule rule : rules) {
			if (TopicFilter.matches(rule.filter(), topic)) {
				lines.add(rule.line());
				return true;
			}
		}
		return false;
	}

	/** A decision about a filter. */
	private record Decision(String filter, boolean permitted) {
	}

}
