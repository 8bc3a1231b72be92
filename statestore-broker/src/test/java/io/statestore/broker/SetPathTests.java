package io.statestore.broker;

import java.nio.file.Path;
import java.util.Set;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.EnteredClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits the number of classes that a SET passes through in the broker, from PUBLISH to
 * PUBACK. Adding a class to the path must be worth it. The limits leave room for periodic
 * work that may happen at the same time.
 */
class SetPathTests {

	@Test
	void usesFewClassesInMemory() throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class, SetPathTests::servesRequests);
		assertThat(classes).isNotEmpty().hasSizeLessThanOrEqualTo(89);
	}

	@Test
	void usesFewClassesWithDirectory(@TempDir Path directory) throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class, SetPathTests::servesRequests,
				directory.resolve("store"));
		assertThat(classes).isNotEmpty().hasSizeLessThanOrEqualTo(112);
	}

	private static boolean servesRequests(String thread) {
		return thread.startsWith("statestore-mqtt") || thread.startsWith("statestore-log");
	}

	/** Executes a SET, after other SETs that initialize classes. */
	static final class SetProgram {

		private SetProgram() {
		}

		public static void main(String[] arguments) throws Exception {
			StateStoreBrokerBuilder builder = StateStoreBroker.builder();
			if (arguments.length > 0) {
				builder.storage(StorageOptions.in(Path.of(arguments[0])));
			}
			try (StateStoreBroker broker = builder.start();
					StoreClient client = StoreClient.connect(broker.port(), "setter")) {
				for (int i = 0; i < 3; i++) {
					client.call("SET", "key", "value");
				}
				EnteredClasses.trace(() -> client.call("SET", "key", "value"));
			}
			System.exit(0);
		}

	}

}
