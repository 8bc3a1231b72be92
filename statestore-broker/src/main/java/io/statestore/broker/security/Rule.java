package io.statestore.broker.security;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A line of a rules file.
 *
 * @param line number of the line
 * @param text the line as it is in the file
 * @param subject the clients that it is for
 * @param read whether it permits reading
 * @param write whether it permits writing
 * @param target what it permits
 * @param template the pattern, {@code null} for administration
 * @param key the pattern if it is one for keys or client ids and the same for all clients
 * @param topic the filter if it is one for topics and the same for all clients
 */
record Rule(int line, String text, Subject subject, boolean read, boolean write, Target target,
		@Nullable Template template, @Nullable KeyPattern key, @Nullable String topic) {

	/**
	 * Returns the pattern for keys or client ids for a client, {@code null} if none
	 * match.
	 */
	@Nullable KeyPattern keyFor(Client client) {
		return (this.key != null || this.template == null) ? this.key : KeyPattern.of(this.template, client);
	}

	/** Returns the filter for a client, {@code null} if it matches no topic. */
	@Nullable String topicFor(Client client) {
		if (this.topic != null || this.template == null) {
			return this.topic;
		}
		String filter = this.template.expand(client, (value) -> isLiteralLevel(value) ? value : null);
		// A value must not turn a topic into one of the broker.
		boolean hidden = filter != null && filter.startsWith("$") && this.template.beginsWithPlaceholder();
		return (filter == null || hidden || Template.isTooLong(filter)) ? null : filter;
	}

	/** Returns whether a value is part of a single level, and has no wildcard. */
	private static boolean isLiteralLevel(String value) {
		return value.chars().noneMatch((character) -> "/+#\0".indexOf(character) >= 0);
	}

	/** Returns whether the pattern has a placeholder. */
	boolean uses(String placeholder) {
		return this.template != null && this.template.uses(placeholder);
	}

	/** Returns whether the rule is the same for all clients. */
	boolean isForEveryone() {
		return this.subject.who == Who.EVERYONE && (this.template == null || this.template.isConstant());
	}

	/** What a rule permits. */
	enum Target {

		KEY, TOPIC, ADMINISTRATION, CONNECTION

	}

	/** Kinds of subjects. */
	enum Who {

		/** Clients with certain names. */
		NAMED,
		/** All clients that have logged in. */
		USERS,
		/** All clients. */
		EVERYONE

	}

	/**
	 * The clients that a rule is for.
	 *
	 * @param who kind of the subject
	 * @param names the names of {@link Who#NAMED}
	 */
	record Subject(Who who, Set<String> names) {

		Subject {
			names = Set.copyOf(names);
		}

		boolean includes(ClientPrincipal principal) {
			return switch (this.who) {
				case NAMED -> !principal.isAnonymous() && this.names.contains(principal.name());
				case USERS -> !principal.isAnonymous();
				case EVERYONE -> true;
			};
		}

	}

}
