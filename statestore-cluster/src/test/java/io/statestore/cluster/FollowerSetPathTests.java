package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.EnteredClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits the number of classes that a SET through a follower enters on all nodes. */
class FollowerSetPathTests {

	@Test
	void usesFewClasses(@TempDir Path directory) throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class,
				(thread) -> !thread.equals("main") && !thread.startsWith("statestore-sessions"), directory);
		assertThat(classes).isNotEmpty().hasSizeLessThanOrEqualTo(170);
	}

	/** Executes a SET, after other SETs that initialize classes. */
	static final class SetProgram {

		private SetProgram() {
		}

		public static void main(String[] arguments) throws Exception {
			// Long, because the debugger slows down the leader.
			try (BrokerCluster cluster = new BrokerCluster(Path.of(arguments[0]), Duration.ofSeconds(30));
					StoreClient client = StoreClient.connect(cluster.broker(cluster.follower()).port(), "setter")) {
				for (int i = 0; i < 3; i++) {
					client.call("SET", "key", "value");
				}
				EnteredClasses.trace(() -> client.call("SET", "key", "value"));
			}
			System.exit(0);
		}

	}

}
