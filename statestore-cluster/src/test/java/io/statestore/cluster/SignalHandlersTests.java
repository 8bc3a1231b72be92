package io.statestore.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import sun.misc.Signal;
import sun.misc.SignalHandler;

import static org.assertj.core.api.Assertions.assertThat;

class SignalHandlersTests {

	@Test
	void keepsApplicationHandler() throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Application.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(output).contains("kept");
	}

	/** Runs in a separate process, because JRaft's classes are loaded only once. */
	static final class Application {

		private Application() {
		}

		public static void main(String[] arguments) throws ClassNotFoundException {
			Signal signal = new Signal("USR2");
			SignalHandler own = (received) -> {
			};
			Signal.handle(signal, own);
			SignalHandlers.keep();
			Class.forName("com.alipay.sofa.jraft.core.NodeImpl");
			System.out.println((Signal.handle(signal, own) == own) ? "kept" : "replaced");
		}

	}

}
