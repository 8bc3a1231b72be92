package io.statestore.broker.standalone;

import java.util.ServiceLoader;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConsoleLoggingTests {

	@Test
	void logsTimeLevelAndMessage() {
		try (JavaProcess broker = StandaloneProcess.launch("--port", "0")) {
			broker.await("(?m)^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} INFO  State Store broker .* listens on ");
		}
	}

	@Test
	void leavesLoggingOfOtherApplicationsUnchanged() {
		LoggerContext context = new LoggerContext();
		assertThat(ServiceLoader.load(Configurator.class)).singleElement()
			.isInstanceOf(ConsoleLogging.class)
			.returns(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY, (logging) -> logging.configure(context));
		assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders().hasNext()).isFalse();
	}

}
