package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The rules that apply to certain clients, with these clients' values filled in.
 * Immutable.
 *
 * @param principal the clients' principal. Never read: as long as a connection has these
 * rules, this reference keeps their entry in the weak map of {@link RuleSet}
 * @param rules the rules by the action they permit
 */
record SelectedRules(ClientPrincipal principal, Map<RuleAction, List<Rule>> rules) {

	/** Orders patterns with wildcards last, because they take longer to match. */
	private static final Comparator<Rule> BY_COST = Comparator
		.comparing((rule) -> rule.key() != null && rule.key().glob() != null);

	static final SelectedRules NONE = of(List.of(), new Client("", ClientPrincipal.ANONYMOUS));

	/**
	 * Selects rules.
	 * @param rules the rules to select from
	 * @param client the client whose values are filled in
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
