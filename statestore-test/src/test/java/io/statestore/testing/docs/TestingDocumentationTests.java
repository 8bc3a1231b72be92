package io.statestore.testing.docs;

import java.io.IOException;

import io.statestore.test.DocumentedSnippets;
import io.statestore.testing.boot.StateStoreTest;
import io.statestore.testing.broker.TestBroker;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the snippets in {@code docs/testing.md} with code that is compiled and run.
 */
class TestingDocumentationTests {

	@Test
	void everySnippetIsTested() throws IOException {
		DocumentedSnippets.assertAllIn("testing.md", 6, getClass(), PressTests.class, SetpointTests.class,
				PressFaultsTests.class);
	}

	@Test
	void brokerRunsWithoutTestFramework() {
		try (TestBroker broker = TestBroker.builder().start()) {
			assertThat(broker.port()).isPositive();
		}
	}

	@StateStoreTest
	@Import(Setpoints.class)
	static class SetpointSliceTests {

		@Autowired
		private Setpoints setpoints;

	}

	/** Component of the page. */
	static class Setpoints {

	}

}
