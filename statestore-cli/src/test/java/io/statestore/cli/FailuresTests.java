package io.statestore.cli;

import java.io.IOException;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.statestore.cli.Cli.Result;
import io.statestore.client.Key;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotAuthorizedException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.internal.ConnectionDiagnosis;
import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class FailuresTests {

	private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

	@ParameterizedTest
	@EnumSource
	void nextStepsNameCommandLineOptions(ConnectionDiagnosis diagnosis) {
		Map<String, OptionSpec> options = new CommandLine(new GetCommand()).getCommandSpec().optionsMap();
		String step = Failures.withOptions(diagnosis.nextStep());
		assertThat(step).doesNotContain("statestore.");
		assertThat(OPTION.matcher(step).results().map(MatchResult::group))
			.allSatisfy((option) -> assertThat(options).containsKey(option.replace("--no-tls", "--tls")));
	}

	@Test
	void reportsMissingBroker() {
		Result result = Cli.on(1).run("get", "k");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(result.err()).contains("connection refused", "--host", "--port").doesNotContain("statestore.");
	}

	@Test
	void distinguishesFailuresByExitCode() {
		assertThat(Failures.exitCode(new StateStoreNotSentException("no connection"))).isEqualTo(3);
		assertThat(Failures
			.exitCode(new StateStoreNotSentException("GET k: " + ConnectionDiagnosis.REQUEST_REFUSED.cause())))
			.isEqualTo(4);
		assertThat(Failures.exitCode(StateStoreRefusedException.of(ErrorReason.QUOTA_EXCEEDED, "full"))).isEqualTo(4);
		assertThat(Failures.exitCode(StateStoreNotAuthorizedException.of("SET", Key.of("k"), "Ask"))).isEqualTo(4);
		assertThat(Failures.exitCode(new StateStoreOutcomeUnknownException("no reply"))).isEqualTo(5);
		assertThat(
				Failures.exitCode(new StateStoreOutcomeUnknownException(ConnectionDiagnosis.REQUEST_REFUSED.cause())))
			.isEqualTo(5);
		assertThat(Failures.exitCode(new InterruptedException())).isEqualTo(130);
		assertThat(Failures.exitCode(new StateStoreInvalidRequestException("too large"))).isEqualTo(2);
		assertThat(Failures.exitCode(new IOException("no space"))).isEqualTo(6);
		assertThat(Failures.message(new IOException("no space"))).contains("no space");
	}

}
