package io.statestore.broker.security;

import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Permissions of one client, which follow the rules of a file. Thread-safe. */
final class ClientPermissions implements Permissions {

	private final Supplier<RuleSet> file;

	private final Client client;

	private volatile @Nullable Selection selection;

	/**
	 * Creates permissions.
	 * @param file returns the current rules
	 * @param client the client
	 */
	ClientPermissions(Supplier<RuleSet> file, Client client) {
		this.file = file;
		this.client = client;
	}

	private Selection selection() {
		RuleSet current = this.file.get();
		Selection selection = this.selection;
		if (selection == null || selection.source != current) {
			selection = new Selection(current, this.client);
			this.selection = selection;
		}
		return selection;
	}

	@Override
	public boolean mayRead(Bytes key) {
		return isPermitted(new KeyCheck(key), SelectedRules::readable);
	}

	@Override
	public boolean mayRead(Bytes key, LongConsumer steps) {
		KeyCheck check = new KeyCheck(key);
		boolean permitted = isPermitted(check, SelectedRules::readable);
		steps.accept(check.steps());
		return permitted;
	}

	@Override
	public boolean mayWrite(Bytes key) {
		return isPermitted(new KeyCheck(key), SelectedRules::writable);
	}

	private boolean isPermitted(KeyCheck check, Function<SelectedRules, List<Grant<KeyPattern>>> action) {
		Selection current = selection();
		return check.matchesAny(action.apply(current.shared)) || check.matchesAny(action.apply(current.own));
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
		return current.shared.administration() || current.own.administration();
	}

	@Override
	public boolean mayConnect() {
		RuleSet current = this.file.get();
		return !current.bindsClientIds() || !current.connecting(this.client).isEmpty();
	}

	/** Returns the rules that permit an action on a key, none if it is denied. */
	List<Rule> permitting(Bytes key, Function<SelectedRules, List<Grant<KeyPattern>>> action) {
		Selection current = selection();
		KeyCheck check = new KeyCheck(key);
		return Stream.of(current.shared, current.own)
			.flatMap((rules) -> check.matching(action.apply(rules)).stream())
			.toList();
	}

	/** Returns the rules that together permit a subscription, none if it is denied. */
	List<Rule> permittingSubscribe(String filter) {
		return selection().subscribable.covering(filter);
	}

	/** Returns the rules that permit publishing, none if it is denied. */
	List<Rule> permittingPublish(String topic) {
		return selection().publishable.covering(topic);
	}

	@Override
	public String toString() {
		return "rules for " + this.client;
	}

	/** The rules for the client in one version of the file. */
	private static final class Selection {

		private final RuleSet source;

		private final SelectedRules shared;

		private final SelectedRules own;

		private final TopicRules subscribable;

		private final TopicRules publishable;

		Selection(RuleSet source, Client client) {
			this.source = source;
			this.shared = source.shared(client.principal());
			this.own = source.own(client);
			this.subscribable = new TopicRules(this.shared.subscribable(), this.own.subscribable());
			this.publishable = new TopicRules(this.shared.publishable(), this.own.publishable());
		}

	}

}
