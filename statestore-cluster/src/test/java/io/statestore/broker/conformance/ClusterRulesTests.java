package io.statestore.broker.conformance;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

/**
 * Rules that a follower could break, which forwards its clients to the leader.
 * {@link ClusterConformanceTests} has all others.
 */
class ClusterRulesTests extends ServerConformance implements RepetitionRules, CommandRules, NotificationRules {

	@TempDir
	private static Path directory;

	@Override
	TestedServer start() throws Exception {
		return new TestedFollower(directory);
	}

}
