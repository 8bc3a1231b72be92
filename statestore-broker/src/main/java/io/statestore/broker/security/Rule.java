package io.statestore.broker.security;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A line of a rules file.
 *
 * @param line number of the line
 * @param text the line as it is in the file
 * @param subject the clients that it is for
 * @param actions what it permits
 * @param template the pattern, {@code null} for administration
 * @param key the pattern for keys or client ids, with the values of a client unless it is
 * the same for all
 * @param topic the filter for topics, with the values of a client unless it is the same
 * for all
 */
record Rule(int line, String text, Subject subject, Set<RuleAction> actions, @Nullable Template template,
		@Nullable KeyPattern key, @Nullable String topic) {

	Rule {
		actions = Set.copyOf(actions);
	}

	/** Returns this rule for a client, {@code null} if it matches nothing. */
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
		// A value must not turn a topic into one of the broker.
		boolean hidden = filter != null && filter.startsWith("$") && template.beginsWithPlaceholder();
		return (filter == null || hidden || Template.isTooLong(filter)) ? null : filter;
	}

	/** Returns whether a value is part of a single level, and has no wildcard. */
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
	 * The clients that a rule is for.
	 *
	 * @param anonymous whether these include clients that have not logged in
	 * @param allUsers whether these include all clients that have logged in
	 * @param names names of further users
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
