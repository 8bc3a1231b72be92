package io.statestore.broker.security;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import io.statestore.protocol.Bytes;

/**
 * The rules of a file. All connections of a user share the rules that do not depend on
 * the client id, so that their memory does not grow with the connections. Thread-safe.
 */
final class RuleSet {

	private final List<Rule> rules;

	private final List<Rule> withoutClientId;

	private final List<Rule> withClientId;

	/**
	 * The rules that all clients of a user have in common. An entry ends with the last
	 * connection of the user, because the rules refer to its key.
	 */
	private final Map<ClientPrincipal, WeakReference<SelectedRules>> shared = Collections
		.synchronizedMap(new WeakHashMap<>());

	/**
	 * Creates a set.
	 * @param rules the rules of the file
	 */
	RuleSet(List<Rule> rules) {
		this.rules = List.copyOf(rules);
		this.withoutClientId = this.rules.stream().filter((rule) -> !rule.uses(Template.CLIENT_ID)).toList();
		this.withClientId = this.rules.stream().filter((rule) -> rule.uses(Template.CLIENT_ID)).toList();
	}

	/** Returns all rules in their order. */
	List<Rule> rules() {
		return this.rules;
	}

	/** Returns whether rules determine who may use a client id. */
	boolean bindsClientIds() {
		return this.rules.stream().anyMatch((rule) -> rule.actions().contains(RuleAction.CONNECT));
	}

	/** Returns the rules that depend on the id of a client. */
	SelectedRules own(Client client) {
		return this.withClientId.isEmpty() ? SelectedRules.NONE : SelectedRules.of(this.withClientId, client);
	}

	/** Returns the rules that all clients of a user have in common. */
	SelectedRules shared(ClientPrincipal principal) {
		WeakReference<SelectedRules> known = this.shared.get(principal);
		SelectedRules rules = (known != null) ? known.get() : null;
		if (rules == null) {
			rules = SelectedRules.of(this.withoutClientId, new Client("", principal));
			// Replacing the value alone would keep an equal key, which these rules do not
			// refer to.
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
