package io.statestore.broker.security;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** One client's permissions, according to the current rules in a file. Thread-safe. */
final class ClientPermissions implements Permissions {

	private final Supplier<RuleSet> rules;

	private final Client client;

	private volatile @Nullable Selection selection;

	/**
	 * Creates permissions.
	 * @param rules returns the current rules
	 * @param client the client to which the rules are applied
	 */
	ClientPermissions(Supplier<RuleSet> rules, Client client) {
		this.rules = rules;
		this.client = client;
	}

	private Selection selection() {
		RuleSet current = this.rules.get();
		Selection selection = this.selection;
		if (selection == null || selection.source != current) {
			selection = Selection.of(current, this.client);
			this.selection = selection;
		}
		return selection;
	}

	@Override
	public boolean mayRead(Bytes key) {
		return isPermitted(new KeyCheck(key), RuleAction.READ);
	}

	@Override
	public boolean mayRead(Bytes key, LongConsumer steps) {
		KeyCheck check = new KeyCheck(key);
		boolean permitted = isPermitted(check, RuleAction.READ);
		steps.accept(check.steps());
		return permitted;
	}

	@Override
	public boolean mayWrite(Bytes key) {
		return isPermitted(new KeyCheck(key), RuleAction.WRITE);
	}

	private boolean isPermitted(KeyCheck check, RuleAction action) {
		Selection current = selection();
		return check.matchesAny(current.shared.permitting(action)) || check.matchesAny(current.own.permitting(action));
	}

	@Override
	public boolean maySubscribe(String filter) {
		return selection().subscribable.cover(filter);
	}

	@Override
	public boolean mayPublish(String topic) {
		return selection().publishable.cover(topic);
	}

	@Override
	public boolean mayAdminister() {
		Selection current = selection();
		return !current.shared.permitting(RuleAction.ADMINISTER).isEmpty();
	}

	@Override
	public boolean mayConnect() {
		return !this.rules.get().bindsClientIds() || !permitting(RuleAction.CONNECT, this.client.clientId()).isEmpty();
	}

	/**
	 * Returns the rules that permit an action. For a topic filter, several rules may do
	 * so together.
	 * @param target the key, topic, topic filter, or client id
	 * @return the rules, empty if the action is denied
	 */
	List<Rule> permitting(RuleAction action, String target) {
		Selection current = selection();
		return switch (action) {
			case SUBSCRIBE -> current.subscribable.covering(target);
			case PUBLISH -> current.publishable.covering(target);
			case READ, WRITE, CONNECT, ADMINISTER -> {
				KeyCheck check = new KeyCheck(Bytes.of(target));
				yield Stream.of(current.shared, current.own)
					.flatMap((rules) -> rules.permitting(action).stream())
					.filter(check::matches)
					.toList();
			}
		};
	}

	@Override
	public String toString() {
		return "rules for " + this.client;
	}

	/** The client's rules in one version of the file. */
	private record Selection(RuleSet source, SelectedRules shared, SelectedRules own, TopicRules subscribable,
			TopicRules publishable) {

		static Selection of(RuleSet source, Client client) {
			SelectedRules shared = source.shared(client.principal());
			SelectedRules own = source.own(client);
			return new Selection(source, shared, own, topics(shared, own, RuleAction.SUBSCRIBE),
					topics(shared, own, RuleAction.PUBLISH));
		}

		private static TopicRules topics(SelectedRules shared, SelectedRules own, RuleAction action) {
			return new TopicRules(shared.permitting(action), own.permitting(action));
		}

	}

}
