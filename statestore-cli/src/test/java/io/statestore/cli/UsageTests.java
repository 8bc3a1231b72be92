package io.statestore.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.statestore.cli.Cli.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Help, completion, and invalid arguments. No command connects. */
@Timeout(60)
class UsageTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			set k v --file pom.xml       | <value> and --file
			set k --file /missing        | --file
			set k v --nx --nex           | --if-absent and --if-absent-or-equal
			set k v --expire soon        | '''--expire'': ''soon'' is not a time'
			set k v --expire 0s          | --expire
			set k v --expire 1000000000d | use up to 9 digits
			get k --user a --password-file /missing | : the file does not exist
			scan [                       | <pattern>
			export [                     | <pattern>
			import --overwrite --skip-existing | exclude each other
			del k --yes                  | --yes requires --pattern
			del a* --pattern             | add --yes
			del [ --pattern --yes        | is not a pattern
			del --hex-key ff --pattern --yes | UTF-8
			del a* --pattern --if-equal v | --if-equal
			locks a[z-a]                 | <pattern>
			set k xyz --hex              | --hex
			set k v --token now          | --token
			get k --hex-key              | --hex-key
			get k --show yaml            | --show
			get k --output xml           | --output
			get k --port 99999           | --port
			get k --timeout 2            | --timeout
			get k --timeout 2d           | --timeout
			get k --client-id a#b        | --client-id
			get k --url http://a         | --url
			get                          | <key>
			get k --no-such-option       | --no-such-option
			scan --limit 0               | --limit
			watch                        | <key>
			watch k --count 0            | --count
			watch k --for 0ms            | --for
			watch k --color pink         | --color
			bench --in-flight 1,1001     | --in-flight
			bench --size 1000001         | --size
			bench --reads 101            | --reads
			bench --keys 0               | --keys
			bench --keys 100 --size 1000000 | --force
			lock job ssh -p 22 host      | '--'
			lock job ssh host            | '--'
			lock -- job ssh host         | '--'
			lock job ssh -- host         | '--'
			lock job                     | '--'
			lock job --                  | '--'
			bench --warm-up x            | --warm-up
			sessions end                 | <client>
			cluster                      | status, add, remove, replace, transfer-leadership
			cluster remove               | <node>
			cluster add a:1885 --wait x  | --wait
			fetch                        | fetch
			vdel k v                     | is now 'del <key> --if-equal <value>'
			leader yield line            | is now 'leader resign'
			cluster transfer b           | is now 'cluster transfer-leadership'
			""")
	void refusalNamesArgument(String command, String argument) {
		Result result = new Cli().run(command.split(" +"));
		assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCodes.USAGE);
		assertThat(result.err()).contains(argument).contains("--help'").doesNotContain("\tat ");
		assertThat(result.out()).isEmpty();
	}

	@Test
	void missingCommandListsCommands() {
		Result result = new Cli().run();
		assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(result.err()).contains("get, set, del, ttl, scan, watch, export, import", "info, bench");
	}

	@Test
	void refusesEmptyKey() {
		Result result = new Cli().run("get", "");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(result.err()).contains("Invalid <key>");
	}

	@Test
	void refusesEmptyClientId() {
		Result result = new Cli().run("sessions", "end", "a", "");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(result.err()).contains("Invalid <client>");
	}

	@Test
	void everyHelpListsExitCodes() {
		assertThat(new Cli().run("--help").out()).contains("watch", "STATESTORE_URL", "Exit codes:");
		for (String command : StateStoreCli.commandLine(new Cli().environment()).getSubcommands().keySet()) {
			Result result = new Cli().run(command, "--help");
			assertThat(result.exitCode()).isZero();
			assertThat(result.out()).startsWith("Usage: statestore " + command)
				.contains("Exit codes:", "3   no connection");
		}
	}

	@Test
	void documentsEveryCommandAndExitCode() throws IOException {
		String page = Files.readString(Path.of("..", "docs", "cli.md"));
		assertThat(StateStoreCli.commandLine(new Cli().environment()).getSubcommands().keySet())
			.allSatisfy((command) -> assertThat(page).contains("`statestore " + command));
		assertThat(ExitCodes.descriptions())
			.allSatisfy((code, description) -> assertThat(page).contains("| " + code + " | " + description));
	}

	@Test
	void printsVersion() {
		assertThat(new Cli().run("--version").out()).startsWith("statestore ");
		assertThat(new Cli().run("get", "--version").out()).startsWith("statestore ");
	}

	@Test
	void completionCompletesCommandAndOption(@TempDir Path directory) throws Exception {
		assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "skipped: no /bin/bash");
		Path script = directory.resolve("statestore.bash");
		Files.write(script, new Cli().run("completion").bytes());
		assertThat(bash("bash -n " + script)).isEmpty();
		assertThat(completions(script, "statestore", "wa")).isEqualTo("watch");
		assertThat(completions(script, "statestore", "set", "--exp")).isEqualTo("--expire");
		assertThat(completions(script, "statestore", "sessions", "e")).isEqualTo("end");
	}

	/** Returns the completions of the last word. */
	private static String completions(Path script, String... words) throws Exception {
		int last = words.length - 1;
		return bash("compopt() { :; }; source " + script + "; COMP_WORDS=(" + String.join(" ", words) + "); COMP_CWORD="
				+ last + "; COMP_LINE='" + String.join(" ", words)
				+ "'; _complete_statestore; echo -n \"${COMPREPLY[@]}\"")
			.strip();
	}

	private static String bash(String script) throws Exception {
		Process bash = new ProcessBuilder("/bin/bash", "-s").redirectErrorStream(true).start();
		new ByteArrayInputStream(script.getBytes(StandardCharsets.UTF_8)).transferTo(bash.getOutputStream());
		bash.getOutputStream().close();
		String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(bash.exitValue()).as(output).isZero();
		return output;
	}

}
