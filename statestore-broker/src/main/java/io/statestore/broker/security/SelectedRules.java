package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of a file that are for certain clients, with the values of these. Immutable.
 *
 * @param principal the principal of the clients. Never read: as long as a connection has
 * these rules, this reference keeps their entry in the weak map of {@link RuleSet}
 * @param rules the rules that permit an action
 */
record SelectedRules(ClientPrincipal principal, Map<RuleAction, List<Rule>> rules) {

	/** Patterns with wildcards last, because they take longer. */
	private static final Comparator<Rule> BY_COST = Comparator
		.comparing((rule) -> rule.key() != null && rule.key().glob() != null);

	static final SelectedRules NONE = of(List.of(), new Client("", ClientPrincipal.ANONYMOUS));

	/**
	 * Selects rules.
	 * @param rules the rules
	 * @param client a client
	 */
	static SelectedRules of(List<Rule> rules, Client client) {
		Map<RuleAction, List<Rule>> selected = new EnumMap<>(RuleAction.class);
		for (Rule rule : rules) {
			Rule ofClient = rule.of(client);
			if (ofClient != null) {
				ofClient.actions()
					.forEach((action) -> selected.computeIfAbsent(action, (first) -> new ArrayList<>()).add(ofClient));
			}
		}
		selected.values().forEach((permitting) -> permitting.sort(BY_COST));
		return new SelectedRules(client.principal(), selected);
	}

	/** Returns the rules that permit an action. */
	List<Rule> permitting(RuleAction action) {
		return this.rules.getOrDefault(action, List.of());
	}

}
