package io.statestore.broker.security;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authorizes clients by the rules in a file, which is read again within two seconds of a
 * change. Anything that no rule permits is denied, even if the file is empty.
 * <p>
 * If the file becomes invalid, the last valid rules remain in force, and an error in the
 * log names the file and the line, and explains how to fix the problem. Changed rules
 * apply to connected clients starting with their next request. Thread-safe.
 *
 * <pre>
 * group operators = ada bob
 * group operators  read,write  key    press-*&#47;setpoint
 * users            read,write  key    {username}/*
 * everyone         read        topic  alarms/#
 * user ada         administer
 * users            connect            {username}
 * </pre>
 */
public final class RulesFile implements Authorizer {

	private static final Logger logger = LoggerFactory.getLogger(RulesFile.class);

	private final Path path;

	private final AuditLog audit = new AuditLog();

	private final WatchedFile<RuleSet> file;

	/** Whether the file was valid when it was opened. */
	private volatile boolean opened;

	private RulesFile(Path path, boolean forEveryone) {
		this.path = path;
		this.file = WatchedFile.of(List.of(path), (contents) -> read(contents.get(0), forEveryone), this::changed);
		this.opened = true;
		warnOfMistakes(this.file.current());
	}

	/**
	 * Reads a file.
	 * @param path the file
	 * @return an authorizer with the file's rules
	 * @throws IllegalArgumentException if the file cannot be read or is invalid. The
	 * message names the file and the line, and explains how to fix the problem
	 */
	public static RulesFile of(Path path) {
		return new RulesFile(path, false);
	}

	/**
	 * Reads a file whose rules must be the same for all clients, because a gateway cannot
	 * identify clients.
	 * @param path the file
	 * @return an authorizer with the file's rules
	 * @throws IllegalArgumentException if the file cannot be read, is invalid, or has a
	 * rule that applies only to some clients
	 */
	public static RulesFile forEveryone(Path path) {
		return new RulesFile(path, true);
	}

	private RuleSet read(byte[] content, boolean forEveryone) {
		try {
			return parse(content, forEveryone);
		}
		catch (RulesException ex) {
			// When the file is opened, the caller receives the exception instead.
			if (this.opened) {
				this.audit.line(AuditEvent.RULES_INVALID)
					.text("file", this.path.toString())
					.text("reason", ex.getMessage())
					.log();
			}
			throw ex;
		}
	}

	private static RuleSet parse(byte[] content, boolean forEveryone) {
		List<Rule> rules = RulesParser.parse(content);
		for (Rule rule : rules) {
			if (forEveryone && !rule.isForEveryone()) {
				throw new RulesException(rule.line(), "the rule '" + rule.text() + "' is for some clients only. "
						+ "A gateway cannot verify who sends a request, so all rules must be for everyone, and have no "
						+ "placeholders. Restrict clients with the access control list of the broker");
			}
			if (forEveryone && rule.actions().contains(RuleAction.CONNECT)) {
				throw new RulesException(rule.line(), "the rule '" + rule.text() + "' is about client ids, but clients "
						+ "connect to the broker of the gateway. Restrict client ids there");
			}
		}
		return new RuleSet(rules);
	}

	private void changed(RuleSet previous, RuleSet rules) {
		Set<String> before = texts(previous);
		Set<String> after = texts(rules);
		this.audit.line(AuditEvent.RULES_CHANGED)
			.text("file", this.path.toString())
			.word("rules", rules.rules().size())
			.word("added", after.stream().filter((text) -> !before.contains(text)).count())
			.word("removed", before.stream().filter((text) -> !after.contains(text)).count())
			.log();
		warnOfMistakes(rules);
	}

	/**
	 * Returns the rules as text, including group members, because a changed group is also
	 * a changed rule.
	 */
	private static Set<String> texts(RuleSet rules) {
		return rules.rules()
			.stream()
			.map((rule) -> rule.text() + rule.subject().names().stream().sorted().toList())
			.collect(Collectors.toCollection(HashSet::new));
	}

	private void warnOfMistakes(RuleSet rules) {
		String lines = rules.rules()
			.stream()
			.filter((rule) -> rule.uses(Template.CLIENT_ID) && !rule.uses(Template.USERNAME))
			.map((rule) -> String.valueOf(rule.line()))
			.collect(Collectors.joining(", "));
		if (!lines.isEmpty() && !rules.bindsClientIds()) {
			logger.warn("{} has rules with {} that protect nothing from other users, because every client "
					+ "chooses its client id. Use {} for everything that must be private, or permit client ids to certain "
					+ "users with rules such as '{}'. Lines: {}", this.path, "{clientId}", "{username}",
					"users connect {username}", lines);
		}
		if (rules.rules().isEmpty()) {
			logger.warn("{} contains no rules, so all requests and messages are denied. Add a rule, such as "
					+ "'everyone read,write key *'", this.path);
		}
	}

	@Override
	public Permissions permissions(Client client) {
		return clientPermissions(client);
	}

	private ClientPermissions clientPermissions(Client client) {
		return new ClientPermissions(this.file::current, client);
	}

	/**
	 * Returns the rules that permit an action. For a topic filter, several rules may do
	 * so together.
	 * @param client the client to check
	 * @param action the action to permit
	 * @param target the key, the topic, or the topic filter without
	 * {@code $share/{name}/}. A successor lock is subject to its lock's rules. For
	 * {@link RuleAction#CONNECT}, the client id
	 * @return the rules with their line numbers, empty if the action is denied
	 */
	public List<String> permitting(Client client, RuleAction action, String target) {
		boolean key = action == RuleAction.READ || action == RuleAction.WRITE;
		return clientPermissions(client).permitting(action, key ? LockNames.lock(Bytes.of(target)).toUtf8() : target)
			.stream()
			.distinct()
			.sorted(Comparator.comparingInt(Rule::line))
			.map((rule) -> "line " + rule.line() + ": " + rule.text())
			.toList();
	}

	/**
	 * Returns whether the rules determine which clients may use a client id.
	 * @return {@code false} if every client may use any client id
	 */
	public boolean bindsClientIds() {
		return this.file.current().bindsClientIds();
	}

	/**
	 * Returns the rule that would permit a client to connect with its client id.
	 * @param client a client that the rules do not let connect
	 * @return a line for the rules file
	 */
	public static String connectRule(Client client) {
		ClientPrincipal principal = client.principal();
		String who = principal.isAnonymous() ? "everyone" : "user " + RuleTokens.quote(principal.name());
		String pattern = GlobPattern.escape(client.clientId()).replace("{", "{{");
		return who + " connect " + RuleTokens.quote(pattern);
	}

	@Override
	public String toString() {
		return this.path.toString();
	}

}
