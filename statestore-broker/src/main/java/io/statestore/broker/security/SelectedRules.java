package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The rules of a file that are for certain clients. Immutable.
 *
 * @param readable the keys that the clients may read
 * @param writable the keys that the clients may write
 * @param subscribable the topics that the clients may receive
 * @param publishable the topics on which the clients may publish
 * @param administration the line that permits administration, {@code null} if there is
 * none
 */
record SelectedRules(List<KeyRule> readable, List<KeyRule> writable, List<TopicRule> subscribable,
		List<TopicRule> publishable, @Nullable Integer administration) {

	/** Patterns with wildcards last, because they take longer. */
	private static final Comparator<KeyRule> BY_COST = Comparator.comparing((rule) -> rule.pattern().glob() != null);

	static final SelectedRules NONE = new SelectedRules(List.of(), List.of(), List.of(), List.of(), null);

	SelectedRules {
		readable = readable.stream().sorted(BY_COST).toList();
		writable = writable.stream().sorted(BY_COST).toList();
		subscribable = List.copyOf(subscribable);
		publishable = List.copyOf(publishable);
	}

	/**
	 * Selects rules.
	 * @param rules the rules
	 * @param client a client
	 */
	static SelectedRules of(List<Rule> rules, Client client) {
		List<KeyRule> readable = new ArrayList<>();
		List<KeyRule> writable = new ArrayList<>();
		List<TopicRule> subscribable = new ArrayList<>();
		List<TopicRule> publishable = new ArrayList<>();
		Integer administration = null;
		for (Rule rule : rules) {
			if (!rule.subject().includes(client.principal())) {
				continue;
			}
			switch (rule.target()) {
				case KEY -> addTo(readable, writable, rule, rule.keyFor(client), KeyRule::new);
				case TOPIC -> addTo(subscribable, publishable, rule, rule.topicFor(client), TopicRule::new);
				case CONNECTION -> {
					// Matters before the client has permissions: RuleSet decides.
				}
				case ADMINISTRATION -> administration = (administration != null) ? administration : rule.line();
			}
		}
		return new SelectedRules(readable, writable, subscribable, publishable, administration);
	}

	private static <P, R> void addTo(List<R> read, List<R> written, Rule rule, @Nullable P pattern,
			RuleFactory<P, R> factory) {
		if (pattern == null) {
			return;
		}
		R added = factory.create(pattern, rule.line());
		if (rule.read()) {
			read.add(added);
		}
		if (rule.write()) {
			written.add(added);
		}
	}

	@FunctionalInterface
	private interface RuleFactory<P, R> {

		R create(P pattern, int line);

	}

}
