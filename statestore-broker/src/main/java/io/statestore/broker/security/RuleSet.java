package io.statestore.broker.security;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a file. All connections of a user share the rules that do not depend on
 * the client id, so that their memory does not grow with the connections. Thread-safe.
 */
final class RuleSet {

	private final List<Rule> rules;

	private final List<Rule> ofUsers;

	private final List<Rule> ofClientIds;

	private final List<Rule> forClientIds;

	/** The shared rules of each user, as long as a connection has them. */
	private final Map<ClientPrincipal, Shared> shared = new ConcurrentHashMap<>();

	private final ReferenceQueue<SelectedRules> unused = new ReferenceQueue<>();

	/**
	 * Creates a set.
	 * @param rules the rules of the file
	 */
	RuleSet(List<Rule> rules) {
		this.rules = List.copyOf(rules);
		this.ofUsers = this.rules.stream().filter((rule) -> !rule.uses(Template.Placeholder.CLIENT_ID)).toList();
		this.ofClientIds = this.rules.stream().filter((rule) -> rule.uses(Template.Placeholder.CLIENT_ID)).toList();
		this.forClientIds = this.rules.stream().filter((rule) -> rule.target() == Rule.Target.CONNECTION).toList();
	}

	/** Returns all rules in their order. */
	List<Rule> rules() {
		return this.rules;
	}

	/**
	 * Returns the rules for a client.
	 * @param client the client
	 * @return its rules, for one connection
	 */
	ClientRules of(Client client) {
		SelectedRules own = this.ofClientIds.isEmpty() ? SelectedRules.NONE
				: SelectedRules.of(this.ofClientIds, client);
		return new ClientRules(shared(client.principal()), own);
	}

	/** Returns whether rules determine who may use a client id. */
	boolean bindsClientIds() {
		return !this.forClientIds.isEmpty();
	}

	/** Returns the lines that permit a client to use its client id. */
	List<Integer> linesConnecting(Client client) {
		KeyCheck check = new KeyCheck(Bytes.of(client.clientId()));
		return this.forClientIds.stream().filter((rule) -> {
			KeyPattern pattern = rule.subject().includes(client.principal()) ? rule.keyFor(client) : null;
			return pattern != null && check.matches(pattern);
		}).map(Rule::line).toList();
	}

	/** Returns the rules that all clients of a user have in common. */
	SelectedRules shared(ClientPrincipal principal) {
		forgetUnused();
		Shared known = this.shared.get(principal);
		SelectedRules rules = (known != null) ? known.get() : null;
		if (rules == null) {
			rules = SelectedRules.of(this.ofUsers, new Client("", principal));
			this.shared.put(principal, new Shared(principal, rules, this.unused));
		}
		return rules;
	}

	private void forgetUnused() {
		for (Reference<?> unused = poll(); unused != null; unused = poll()) {
			this.shared.remove(((Shared) unused).principal, unused);
		}
	}

	private @Nullable Reference<?> poll() {
		return this.unused.poll();
	}

	/** Returns the number of users whose rules are kept. */
	int users() {
		forgetUnused();
		return this.shared.size();
	}

	/** The rules of a user, until no connection has them any longer. */
	private static final class Shared extends WeakReference<SelectedRules> {

		private final ClientPrincipal principal;

		Shared(ClientPrincipal principal, SelectedRules rules, ReferenceQueue<SelectedRules> unused) {
			super(rules, unused);
			this.principal = principal;
		}

	}

}
