package io.statestore.broker.security;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

import io.statestore.protocol.TopicFilter;

/** Parses rules files. */
final class RulesParser {

	private static final String COMMENT = "#";

	private static final char BYTE_ORDER_MARK = '\uFEFF';

	private static final String FORM = "Write a rule as WHO ACTION key PATTERN, WHO ACTION topic FILTER, "
			+ "WHO connect PATTERN, or WHO administer, where WHO is user NAME, group NAME, users, or everyone";

	private final Map<String, Set<String>> groups = new HashMap<>();

	private final List<Rule> rules = new ArrayList<>();

	private RulesParser() {
	}

	/**
	 * Parses a file.
	 * @param content the file's bytes
	 * @return the rules in file order
	 * @throws RulesException if a line is invalid
	 */
	static List<Rule> parse(byte[] content) {
		RulesParser parser = new RulesParser();
		String[] lines = decode(content).split("\r\n|\n|\r", -1);
		// Rules may precede the groups they refer to, so they are parsed afterward.
		parser.forEach(lines, (line, tokens) -> {
			if (isGroup(tokens)) {
				parser.addGroup(tokens);
			}
		});
		parser.forEach(lines, (line, tokens) -> {
			if (!isGroup(tokens)) {
				parser.rules.add(parser.rule(line, lines[line - 1].strip(), tokens));
			}
		});
		return List.copyOf(parser.rules);
	}

	private static String decode(byte[] content) {
		CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
		ByteBuffer in = ByteBuffer.wrap(content);
		CharBuffer out = CharBuffer.allocate(content.length);
		CoderResult result = decoder.decode(in, out, true);
		String text = out.flip().toString();
		if (result.isError()) {
			int line = 1 + (int) text.chars().filter((character) -> character == '\n').count();
			throw new RulesException(line, "invalid UTF-8. Save the file in UTF-8");
		}
		return (!text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK) ? text.substring(1) : text;
	}

	private void forEach(String[] lines, BiConsumer<Integer, List<String>> handler) {
		for (int i = 0; i < lines.length; i++) {
			if (lines[i].strip().startsWith(COMMENT)) {
				continue;
			}
			try {
				List<String> tokens = RuleTokens.of(lines[i]);
				if (!tokens.isEmpty()) {
					handler.accept(i + 1, tokens);
				}
			}
			catch (IllegalArgumentException ex) {
				throw new RulesException(i + 1, String.valueOf(ex.getMessage()));
			}
		}
	}

	private static void require(boolean valid, String problem) {
		if (!valid) {
			throw new IllegalArgumentException(problem);
		}
	}

	private static boolean isGroup(List<String> tokens) {
		return tokens.size() >= 3 && tokens.get(0).equals("group") && tokens.get(2).equals("=");
	}

	private void addGroup(List<String> tokens) {
		String name = tokens.get(1);
		Set<String> members = Set.copyOf(tokens.subList(3, tokens.size()));
		require(!members.contains(""), "the group '" + name + "' has a member without a name. Remove it");
		require(this.groups.put(name, members) == null,
				"the group '" + name + "' is defined twice. Put all of its members into one line");
	}

	private Rule rule(int line, String text, List<String> tokens) {
		boolean named = tokens.get(0).equals("user") || tokens.get(0).equals("group");
		List<String> words = tokens.subList((named && tokens.size() > 1) ? 2 : 1, tokens.size());
		Rule.Subject subject = subject(tokens);
		require(!words.isEmpty(), "the rule has no action. " + FORM);
		String action = words.get(0);
		if (action.equals("administer")) {
			if (words.size() > 1) {
				throw new IllegalArgumentException("'" + words.get(1) + "' follows administer. Remove it");
			}
			return new Rule(line, text, subject, Set.of(RuleAction.ADMINISTER), null, null, null);
		}
		boolean connect = action.equals("connect");
		require(connect || action.matches("read|write|read,write|write,read"), "unknown action '" + action
				+ "'. Use read, write, read,write (without spaces), connect, or administer");
		int size = connect ? 2 : 3;
		require(words.size() >= size, "the rule is incomplete. " + FORM);
		if (words.size() > size) {
			throw new IllegalArgumentException("'" + words.get(size)
					+ "' follows the pattern. Remove it, or put a pattern with spaces in double quotes");
		}
		Template template = new Template(words.get(size - 1));
		require(!connect || !template.uses(Template.CLIENT_ID),
				"{clientId} stands for any client id. Use {username}, or write * to permit all client ids");
		Set<RuleAction> actions = connect ? Set.of(RuleAction.CONNECT) : actions(action, words.get(1));
		boolean topic = !connect && words.get(1).equals("topic");
		// Expanded with example values, so that a pattern with placeholders is also
		// checked.
		String example = Objects
			.requireNonNull(template.expand(new Client("x", ClientPrincipal.of("x")), (value) -> value));
		String filter = topic ? requireValid(example) : null;
		KeyPattern pattern = topic ? null : KeyPattern.of(example);
		boolean constant = template.isConstant();
		return new Rule(line, text, subject, actions, template, constant ? pattern : null, constant ? filter : null);
	}

	private static Set<RuleAction> actions(String words, String target) {
		boolean topic = target.equals("topic");
		require(topic || target.equals("key"), "unknown target '" + target + "'. " + FORM);
		Set<RuleAction> actions = EnumSet.noneOf(RuleAction.class);
		if (words.contains("read")) {
			actions.add(topic ? RuleAction.SUBSCRIBE : RuleAction.READ);
		}
		if (words.contains("write")) {
			actions.add(topic ? RuleAction.PUBLISH : RuleAction.WRITE);
		}
		return actions;
	}

	/**
	 * Checks a rule's filter and returns it.
	 * @throws IllegalArgumentException if it is invalid
	 */
	private static String requireValid(String filter) {
		require(!filter.isEmpty(), "the topic filter is empty. Write # for all topics");
		require(!filter.startsWith(TopicFilter.SHARED),
				"the topic filter begins with $share. Write it without $share/NAME/");
		require(TopicFilter.isValid(filter), "the topic filter '" + filter
				+ "' is invalid. + and # must take an entire level, and # must be the last one");
		return filter;
	}

	private Rule.Subject subject(List<String> tokens) {
		String who = tokens.get(0);
		String name = (tokens.size() > 1) ? tokens.get(1) : "";
		return switch (who) {
			case "everyone" -> new Rule.Subject(true, true, Set.of());
			case "users" -> new Rule.Subject(false, true, Set.of());
			case "user", "group" -> {
				require(!name.isEmpty(), "'" + who + "' has no name. Write " + who + " NAME");
				yield new Rule.Subject(false, false, who.equals("user") ? Set.of(name) : members(name));
			}
			default -> throw new IllegalArgumentException("unknown start '" + who + "'. " + FORM);
		};
	}

	private Set<String> members(String group) {
		Set<String> members = this.groups.get(group);
		if (members == null) {
			throw new IllegalArgumentException(
					"unknown group '" + group + "'. Define it with: group " + group + " = USER USER");
		}
		return members;
	}

}
