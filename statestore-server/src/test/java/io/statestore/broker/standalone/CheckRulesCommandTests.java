package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.protocol.Topics;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the {@code check-rules} command, and the examples in docs/security.md. */
class CheckRulesCommandTests {

	private static final Path PAGE = Path.of("..", "docs", "security.md");

	private final TestCommand command = new TestCommand();

	private Path rules;

	@BeforeEach
	void writeDocumentedRules(@TempDir Path directory) throws IOException {
		this.rules = Files.writeString(directory.resolve("rules"), block("rules"));
	}

	private static String block(String language) throws IOException {
		Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(PAGE));
		assertThat(block.find()).isTrue();
		return block.group(1);
	}

	@Test
	void printsDocumentedExplanations() throws IOException {
		StringBuilder expected = new StringBuilder();
		for (String line : block("console").split("\n")) {
			if (line.startsWith("$ ")) {
				String[] arguments = line.substring(line.indexOf("check-rules"))
					.replace(" rules ", " " + this.rules + ' ')
					.split(" ");
				this.command.run((Object[]) arguments);
			}
			else {
				expected.append(line).append('\n');
			}
		}
		assertThat(this.command.output().replace(System.lineSeparator(), "\n")).isEqualTo(expected.toString());
	}

	@ParameterizedTest
	@CsvSource({ "ada, press-1/setpoint, 0", "ada, ada/x, 0", "ada, bob/x, 1", "'', ada/x, 1" })
	void returnsDecisionAboutKey(String user, String key, int exitCode) {
		assertThat(this.command.run("check-rules", "--rules", this.rules, user, key)).isEqualTo(exitCode);
	}

	@Test
	void usesClientId() throws IOException {
		Files.writeString(this.rules, "everyone read,write key {clientId}");
		assertThat(this.command.run("check-rules", "--rules", this.rules, "", "press")).isEqualTo(1);
		assertThat(this.command.run("check-rules", "--rules", this.rules, "--client-id", "press", "", "press"))
			.isZero();
	}

	@ParameterizedTest
	@CsvSource({ "users connect {username}, ada, ada, 0, connect: permitted by",
			"users connect {username}, mal, ada, 1, connect: denied. No rule for user 'mal' with this action matches 'ada'",
			"users read key *, mal, ada, 0, 'connect: permitted, because no rule is about client ids'" })
	void explainsDecisionAboutClientId(String rule, String user, String clientId, int exitCode, String explanation)
			throws IOException {
		Files.writeString(this.rules, rule);
		assertThat(this.command.run("check-rules", "--rules", this.rules, "--connect", user, clientId))
			.isEqualTo(exitCode);
		assertThat(this.command.output()).contains(explanation);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					$share/group/alarms/#                | subscribe: permitted by
					$share/group/other                   | subscribe: denied. No rule
					clients/press-1/x                    | subscribe: permitted, because a client may always subscribe to its own topics, for replies of the state store
					clients/press-2/x                    | subscribe: denied. No rule
					clients/press-2/statestore/response  | publish: denied, because only the state store publishes on response topics
					$SYS/x                               | publish: denied, because the topic is reserved for the broker
					""")
	void explainsDecisionAboutTopicLikeBroker(String topic, String explanation) throws IOException {
		Files.writeString(this.rules,
				"everyone read topic alarms/#\neveryone write topic #\neveryone write topic $SYS/#");
		topic = topic.replace("statestore/response", Topics.REQUEST + "/response");
		this.command.run("check-rules", "--rules", this.rules, "--topic", "--client-id", "press-1", "ada", topic);
		assertThat(this.command.output()).contains(explanation);
	}

	@Test
	void explainsDenial() {
		this.command.run("check-rules", "--rules", this.rules, "", "a");
		assertThat(this.command.output())
			.contains("read: denied. No rule for clients that have not logged in with this action matches 'a'");
	}

	@Test
	void namesLineWithInvalidRule() throws IOException {
		Files.writeString(this.rules, "\neveryone reed key a");
		assertThat(this.command.run("check-rules", "--rules", this.rules, "ada", "a")).isEqualTo(2);
		assertThat(this.command.errors()).contains(this.rules + ": line 2: unknown action 'reed'");
	}

}
