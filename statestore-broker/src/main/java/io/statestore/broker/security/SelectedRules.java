package io.statestore.broker.security;

import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The rules of a file that are for certain clients. Immutable.
 *
 * @param principal the principal of the clients
 * @param readable the keys that the clients may read
 * @param writable the keys that the clients may write
 * @param subscribable the topics that the clients may receive
 * @param publishable the topics on which the clients may publish
 * @param administration whether the clients may send administration requests
 */
record SelectedRules(ClientPrincipal principal, List<Grant<KeyPattern>> readable, List<Grant<KeyPattern>> writable,
		List<Grant<String>> subscribable, List<Grant<String>> publishable, boolean administration) {

	/** Patterns with wildcards last, because they take longer. */
	private static final Comparator<Grant<KeyPattern>> BY_COST = Comparator
		.comparing((grant) -> grant.pattern().glob() != null);

	static final SelectedRules NONE = of(List.of(), new Client("", ClientPrincipal.ANONYMOUS));

	/**
	 * Selects rules.
	 * @param rules the rules
	 * @param client a client
	 */
	static SelectedRules of(List<Rule> rules, Client client) {
		List<Grant<KeyPattern>> keys = Grant.select(rules, Rule.Target.KEY, client, Rule::keyFor);
		keys.sort(BY_COST);
		List<Grant<String>> topics = Grant.select(rules, Rule.Target.TOPIC, client, Rule::topicFor);
		return new SelectedRules(client.principal(), permitting(keys, Rule::read), permitting(keys, Rule::write),
				permitting(topics, Rule::read), permitting(topics, Rule::write),
				!Grant.select(rules, Rule.Target.ADMINISTRATION, client, (rule, sender) -> rule).isEmpty());
	}

	private static <P> List<Grant<P>> permitting(List<Grant<P>> grants, Predicate<Rule> action) {
		return grants.stream().filter((grant) -> action.test(grant.rule())).toList();
	}

}
