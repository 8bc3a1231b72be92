package io.statestore.broker.conformance;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Tests three brokers in a cluster, whose clients connect to a follower. */
@Tag("long")
@Tag("nightly")
class ClusterConformanceTests extends StateStoreConformance {

	@TempDir
	private static Path directory;

	@Override
	TestedServer start() throws Exception {
		return new TestedFollower(directory);
	}

}
