package io.statestore.broker.conformance;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

/**
 * Tests rules that a follower could break because it forwards its clients to the leader.
 * {@link ClusterConformanceTests} tests all other rules.
 */
class ClusterRulesTests extends ServerConformance implements RepetitionRules, CommandRules, NotificationRules {

	@TempDir
	private static Path directory;

	@Override
	TestedServer start() throws Exception {
		return new TestedFollower(directory);
	}

}
