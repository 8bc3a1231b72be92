package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.statestore.protocol.Bytes;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RulesParserTests {

	private static final Client ADA = new Client("press-1", ClientPrincipal.of("ada"));

	private static final Client BOB = new Client("press-2", ClientPrincipal.of("bob"));

	private static final Client ANONYMOUS = new Client("press-1", ClientPrincipal.ANONYMOUS);

	@Test
	void permitsOnlyWhatRulesAllow() {
		String rules = """
				# comment
				group operators  read,write  key    press-*/setpoint
				  group operators = ada "carl the first"

				users            read,write  key    {username}/*
				everyone         read        topic  alarms/#
				user ada         administer
				""";
		Permissions ada = rules(rules, ADA);
		assertThat(ada.mayRead(Bytes.of("press-1/setpoint"))).isTrue();
		assertThat(ada.mayWrite(Bytes.of("press-1/setpoint"))).isTrue();
		assertThat(ada.mayWrite(Bytes.of("press-1/other"))).isFalse();
		assertThat(ada.mayWrite(Bytes.of("ada/x"))).isTrue();
		assertThat(ada.mayWrite(Bytes.of("bob/x"))).isFalse();
		assertThat(ada.maySubscribe("alarms/+")).isTrue();
		assertThat(ada.maySubscribe("#")).isFalse();
		assertThat(ada.mayPublish("alarms/a")).isFalse();
		assertThat(ada.mayAdminister()).isTrue();
		Permissions bob = rules(rules, BOB);
		assertThat(bob.mayRead(Bytes.of("press-1/setpoint"))).isFalse();
		assertThat(bob.mayRead(Bytes.of("bob/x"))).isTrue();
		assertThat(bob.mayAdminister()).isFalse();
		Permissions anonymous = rules(rules, ANONYMOUS);
		assertThat(anonymous.maySubscribe("alarms/a")).isTrue();
		assertThat(anonymous.mayRead(Bytes.of("/x"))).isFalse();
		assertThat(rules(rules, new Client("c", ClientPrincipal.of("carl the first")))
			.mayRead(Bytes.of("press-9/setpoint"))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "# only a comment", "\uFEFF", "\r\n\n\r", "group nobody =" })
	void deniesEverythingWithoutRules(String text) {
		Permissions rules = rules(text, ADA);
		assertThat(rules.mayRead(Bytes.of("a"))).isFalse();
		assertThat(rules.mayWrite(Bytes.of("a"))).isFalse();
		assertThat(rules.maySubscribe("a")).isFalse();
		assertThat(rules.mayPublish("a")).isFalse();
		assertThat(rules.mayAdminister()).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', value = {
			"nobody read key a | unknown start 'nobody'. Write a rule as WHO",
			"everyone | the rule has no action. Write", "user | 'user' has no name. Write user NAME",
			"user ada | the rule has no action", "everyone reed key a | unknown action 'reed'. Use read, write",
			"everyone read, write key a | unknown action 'read,'", "everyone read | the rule is incomplete. Write",
			"everyone read connect a | unknown target 'connect'. Write",
			"users write connect {clientId} | unknown target 'connect'. Write",
			"everyone read keys a | unknown target 'keys'. Write", "everyone read key | the rule is incomplete",
			"everyone read key a b | 'b' follows the pattern. Remove it, or put",
			"everyone administer all | 'all' follows administer. Remove it",
			"everyone connect | the rule is incomplete. Write a rule as",
			"everyone connect a b | 'b' follows the pattern. Remove it, or put",
			"everyone connect [a | the key pattern '[a' is malformed", "users connect \"\" | the pattern is empty",
			"users connect x-{clientId} | {clientId} stands for any client id. Use {username}, or write *",
			"group g read key a | unknown group 'g'. Define it with: group g = USER USER",
			"everyone read key [a | the key pattern '[a' is malformed", "everyone read key \"\" | the pattern is empty",
			"everyone read key {user} | unknown placeholder '{user}'. Use {clientId} or {username}",
			"everyone read key { | unknown placeholder '{'", "everyone read topic a/#/b | the topic filter 'a/#/b' is",
			"everyone read topic a+ | the topic filter 'a+' is invalid", "everyone read topic $share/g/a | begins with",
			"everyone read topic \"\" | the topic filter is empty", "everyone read key \"a | a quote is not closed",
			"everyone read key \"a\"b | text follows a closing quote", "everyone read key \"\\n\" | unknown escape" })
	void namesLineProblemAndNextStep(String line, String message) {
		assertThatExceptionOfType(RulesException.class).isThrownBy(() -> parse("# comment\n\n" + line + "\n"))
			.withMessageStartingWith("line 3: ")
			.withMessageContaining(message.strip());
	}

	@Test
	void refusesGroupDefinedTwice() {
		assertThatExceptionOfType(RulesException.class).isThrownBy(() -> parse("group g = a\ngroup g = b"))
			.withMessage("line 2: the group 'g' is defined twice. Put all of its members into one line");
	}

	@Test
	void refusesInvalidUtf8AndControlCharacters() {
		byte[] content = "a\nb\n?".getBytes(StandardCharsets.UTF_8);
		content[4] = (byte) 0xFF;
		assertThatExceptionOfType(RulesException.class).isThrownBy(() -> RulesParser.parse(content))
			.withMessage("line 3: invalid UTF-8. Save the file in UTF-8");
		assertThatExceptionOfType(RulesException.class).isThrownBy(() -> parse("everyone read key \u0000a"))
			.withMessage("line 1: control character U+0000. Remove it");
	}

	@ParameterizedTest
	@ValueSource(strings = { "*", "a*b", "[a]", "?", "ü", "a b", "\"", "\\", "{x}" })
	void placeholderValueIsLiteral(String name) {
		Permissions rules = rules("users read,write key x/{username}/*", new Client("c", ClientPrincipal.of(name)));
		assertThat(rules.mayRead(Bytes.of("x/" + name + "/1"))).isTrue();
		assertThat(rules.mayRead(Bytes.of("x/a/1"))).isFalse();
		assertThat(rules.mayRead(Bytes.of("x/axb/1"))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "#", "+", "a/b", "a+", "$share" })
	void placeholderValueStaysWithinOneTopicLevel(String id) {
		Permissions rules = rules("everyone read,write topic {clientId}/#", new Client(id, ClientPrincipal.ANONYMOUS));
		assertThat(rules.maySubscribe("#")).isFalse();
		assertThat(rules.maySubscribe("x/y")).isFalse();
		assertThat(rules.maySubscribe(id + "/x")).isFalse();
		assertThat(rules.mayPublish("a/b/c")).isFalse();
	}

	@Test
	void placeholderValueMatchesNoMalformedKey() {
		Permissions rules = rules("users read key {username}*", new Client("c", ClientPrincipal.of("a\uFFFD")));
		assertThat(rules.mayRead(Bytes.wrap(new byte[] { 'a', (byte) 0xFF }))).isFalse();
	}

	@Test
	void acceptsUserNameTooLongForPattern() {
		Permissions rules = rules("users read key *{username}?\neveryone read key b",
				new Client("c", ClientPrincipal.of("n".repeat(60_000))));
		assertThat(rules.mayRead(Bytes.of("a"))).isFalse();
		assertThat(rules.mayRead(Bytes.of("b"))).isTrue();
	}

	@Test
	void readsBracesAndQuotedPatterns() {
		Permissions rules = rules("everyone read key \"{{a} b\\\"\"\neveryone read topic {{x/+", ANONYMOUS);
		assertThat(rules.mayRead(Bytes.of("{a} b\""))).isTrue();
		assertThat(rules.maySubscribe("{x/y")).isTrue();
	}

	@Property(tries = 1_000)
	void parsesFileOrNamesInvalidLine(@ForAll("files") String text) {
		try {
			rules(text, ADA).mayRead(Bytes.of("a"));
		}
		catch (RulesException ex) {
			assertThat(ex).hasMessageMatching("(?s)line \\d+: .+");
		}
	}

	@Provide
	Arbitrary<String> files() {
		Arbitrary<String> word = Arbitraries.of("user", "group", "users", "everyone", "ada", "=", "read", "write",
				"read,write", "administer", "connect", "key", "topic", "*", "a/#", "{username}", "{", "\"", "\\", "[a",
				"#", "\t", "\n", "\r\n", "\u0000", "\uD800", "ü");
		return word.list().ofMaxSize(30).map((words) -> String.join(" ", words));
	}

	private static List<Rule> parse(String text) {
		return RulesParser.parse(text.getBytes(StandardCharsets.UTF_8));
	}

	private static Permissions rules(String text, Client client) {
		RuleSet rules = new RuleSet(parse(text));
		return new ClientPermissions(() -> rules, client);
	}

}
