package io.statestore.broker.security;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A rule in a rules file.
 *
 * @param line number of the line
 * @param text the line as written in the file
 * @param subject the clients that the rule applies to
 * @param actions the actions that the rule permits
 * @param template the pattern, {@code null} for administration
 * @param key the pattern for keys or client ids, with a client's values filled in unless
 * it has no placeholders
 * @param topic the filter for topics, with a client's values filled in unless it has no
 * placeholders
 */
record Rule(int line, String text, Subject subject, Set<RuleAction> actions, @Nullable Template template,
		@Nullable KeyPattern key, @Nullable String topic) {

	Rule {
		actions = Set.copyOf(actions);
	}

	/**
	 * Returns this rule with a client's values filled in, {@code null} if it cannot match
	 * anything.
	 */
	@Nullable Rule of(Client client) {
		if (!this.subject.includes(client.principal())) {
			return null;
		}
		if (this.template == null || this.key != null || this.topic != null) {
			return this;
		}
		boolean topics = this.actions.contains(RuleAction.SUBSCRIBE) || this.actions.contains(RuleAction.PUBLISH);
		KeyPattern key = topics ? null : KeyPattern.of(this.template, client);
		String topic = topics ? topic(this.template, client) : null;
		return (key != null || topic != null)
				? new Rule(this.line, this.text, this.subject, this.actions, this.template, key, topic) : null;
	}

	private static @Nullable String topic(Template template, Client client) {
		String filter = template.expand(client, (value) -> isLiteralLevel(value) ? value : null);
		// A placeholder's value must not turn a filter into one for the broker's own
		// topics.
		boolean hidden = filter != null && filter.startsWith("$") && template.beginsWithPlaceholder();
		return (filter == null || hidden || Template.isTooLong(filter)) ? null : filter;
	}

	/** Returns whether a value stays within a single level and has no wildcards. */
	private static boolean isLiteralLevel(String value) {
		return value.chars().noneMatch((character) -> "/+#\0".indexOf(character) >= 0);
	}

	/** Returns whether the pattern has the given placeholder. */
	boolean uses(String placeholder) {
		return this.template != null && this.template.uses(placeholder);
	}

	/** Returns whether the rule is the same for all clients. */
	boolean isForEveryone() {
		return this.subject.anonymous && (this.template == null || this.template.isConstant());
	}

	/**
	 * The clients that a rule applies to.
	 *
	 * @param anonymous whether to include clients that have not logged in
	 * @param allUsers whether to include all clients that have logged in
	 * @param names names of individual users
	 */
	record Subject(boolean anonymous, boolean allUsers, Set<String> names) {

		Subject {
			names = Set.copyOf(names);
		}

		boolean includes(ClientPrincipal principal) {
			return principal.isAnonymous() ? this.anonymous : (this.allUsers || this.names.contains(principal.name()));
		}

	}

}
