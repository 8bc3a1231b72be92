package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.statestore.protocol.TopicFilter;
import org.jspecify.annotations.Nullable;

/** The topic filters that a client may use for one action. Thread-safe. */
final class TopicRules {

	/** A level that does not occur in any rule. */
	private static final String OTHER = "\0";

	private final List<Rule> shared;

	private final List<Rule> own;

	private final int depth;

	private volatile Decision last = new Decision("", false);

	/**
	 * Creates rules.
	 * @param shared the rules that the client shares with the user's other clients
	 * @param own the rules that depend on the client id
	 */
	TopicRules(List<Rule> shared, List<Rule> own) {
		this.shared = shared;
		this.own = own;
		this.depth = Math.max(depth(shared), depth(own));
	}

	private static int depth(List<Rule> rules) {
		return rules.stream().mapToInt((rule) -> filter(rule).split("/", -1).length).max().orElse(0);
	}

	/**
	 * Returns whether the filters together match all topics that a filter matches.
	 * @param filter a topic filter or a topic
	 */
	boolean cover(String filter) {
		if (this.shared.isEmpty() && this.own.isEmpty()) {
			return false;
		}
		// The last decision is cached, because most clients send many messages on the
		// same topic.
		Decision last = this.last;
		if (!last.filter.equals(filter)) {
			last = new Decision(filter, !covering(filter).isEmpty());
			this.last = last;
		}
		return last.permitted;
	}

	/**
	 * Returns the rules whose filters together match all topics of a filter.
	 * @param filter a topic filter or a topic
	 * @return the rules, empty if any topic is not covered
	 */
	List<Rule> covering(String filter) {
		List<Rule> rules = new ArrayList<>();
		for (String example : TopicFilter.isValid(filter) ? examples(filter) : List.<String>of()) {
			Rule rule = matching(this.shared, example);
			rule = (rule != null) ? rule : matching(this.own, example);
			if (rule == null) {
				return List.of();
			}
			rules.add(rule);
		}
		return rules;
	}

	/**
	 * Returns example topics that match a filter. Each {@code +} is replaced with a level
	 * that does not occur in any rule, and {@code #} with zero or more such levels. A
	 * rule that matches an example also matches the topic with any other level in this
	 * place. A rule that matches more levels than any rule has must end with {@code #},
	 * so it also matches all longer topics.
	 */
	private List<String> examples(String filter) {
		String example = filter.replace("+", OTHER);
		if (!example.endsWith("#")) {
			return List.of(example);
		}
		List<String> examples = new ArrayList<>();
		String start = example.substring(0, example.length() - 1);
		if (!start.isEmpty()) {
			examples.add(start.substring(0, start.length() - 1));
		}
		for (int i = 0; i <= this.depth; i++) {
			examples.add(start + (OTHER + '/').repeat(i) + OTHER);
		}
		return examples;
	}

	private static @Nullable Rule matching(List<Rule> rules, String topic) {
		for (Rule rule : rules) {
			if (TopicFilter.matches(filter(rule), topic)) {
				return rule;
			}
		}
		return null;
	}

	private static String filter(Rule rule) {
		return Objects.requireNonNull(rule.topic());
	}

	/** A decision about a filter. */
	private record Decision(String filter, boolean permitted) {
	}

}
