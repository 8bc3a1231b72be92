package io.statestore.broker.security;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import io.statestore.protocol.Bytes;

/**
 * The rules in a file. All of a user's connections share the rules that do not depend on
 * the client id, so that memory use does not grow with the number of connections.
 * Thread-safe.
 */
final class RuleSet {

	private final List<Rule> rules;

	private final List<Rule> withoutClientId;

	private final List<Rule> withClientId;

	/**
	 * The rules that all of a user's clients have in common. An entry disappears with the
	 * user's last connection: only the rules refer to the entry's key, and only
	 * connections refer to the rules.
	 */
	private final Map<ClientPrincipal, WeakReference<SelectedRules>> shared = Collections
		.synchronizedMap(new WeakHashMap<>());

	/**
	 * Creates a set.
	 * @param rules the rules in file order
	 */
	RuleSet(List<Rule> rules) {
		this.rules = List.copyOf(rules);
		this.withoutClientId = this.rules.stream().filter((rule) -> !rule.uses(Template.CLIENT_ID)).toList();
		this.withClientId = this.rules.stream().filter((rule) -> rule.uses(Template.CLIENT_ID)).toList();
	}

	/** Returns all rules in file order. */
	List<Rule> rules() {
		return this.rules;
	}

	/** Returns whether the rules determine which clients may use a client id. */
	boolean bindsClientIds() {
		return this.rules.stream().anyMatch((rule) -> rule.actions().contains(RuleAction.CONNECT));
	}

	/** Returns the rules for a client that depend on its client id. */
	SelectedRules own(Client client) {
		return this.withClientId.isEmpty() ? SelectedRules.NONE : SelectedRules.of(this.withClientId, client);
	}

	/** Returns the rules that all of a user's clients have in common. */
	SelectedRules shared(ClientPrincipal principal) {
		WeakReference<SelectedRules> known = this.shared.get(principal);
		SelectedRules rules = (known != null) ? known.get() : null;
		if (rules == null) {
			rules = SelectedRules.of(this.withoutClientId, new Client("", principal));
			// Replacing only the value would keep the old, equal key, to which these
			// rules do not refer.
			this.shared.remove(principal);
			this.shared.put(principal, new WeakReference<>(rules));
		}
		return rules;
	}

	/** Returns the number of users whose rules are kept. */
	int users() {
		return this.shared.size();
	}

}
