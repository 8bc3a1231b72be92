package io.statestore.cluster;

import java.nio.file.Path;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.EnteredClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits the number of classes that a SET through a follower enters on all nodes. */
class FollowerSetPathTests {

	private static final int MAX_CLASSES = 170;

	@Test
	void usesFewClasses(@TempDir Path directory) throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class,
				(thread) -> !thread.equals("main") && !thread.startsWith("statestore-sessions"), directory);
		assertThat(classes).isNotEmpty().hasSizeLessThanOrEqualTo(MAX_CLASSES);
	}

	/** Executes a SET, after other SETs that initialize classes. */
	static final class SetProgram {

		private SetProgram() {
		}

		public static void main(String[] arguments) throws Exception {
			try (BrokerCluster cluster = new BrokerCluster(Path.of(arguments[0]), UnaryOperator.identity());
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
