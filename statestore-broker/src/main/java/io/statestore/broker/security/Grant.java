package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

/**
 * A rule that is for certain clients.
 *
 * @param rule the rule
 * @param pattern its pattern, or topic filter, with the values of the clients
 * @param <P> type of the pattern
 */
record Grant<P>(Rule rule, P pattern) {

	/**
	 * Selects the rules about a target that are for a client.
	 * @param pattern returns the pattern of a rule for the client, {@code null} if it
	 * matches nothing
	 */
	static <P> List<Grant<P>> select(List<Rule> rules, Rule.Target target, Client client,
			BiFunction<Rule, Client, @Nullable P> pattern) {
		List<Grant<P>> grants = new ArrayList<>();
		for (Rule rule : rules) {
			boolean selected = rule.target() == target && rule.subject().includes(client.principal());
			P ofClient = selected ? pattern.apply(rule, client) : null;
			if (ofClient != null) {
				grants.add(new Grant<>(rule, ofClient));
			}
		}
		return grants;
	}

}
