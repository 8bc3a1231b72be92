package io.statestore.broker.standalone;

import io.statestore.broker.StateStoreBroker;
import picocli.CommandLine.IVersionProvider;

/** Provides the version that the build has written to the manifest. */
final class StandaloneVersion implements IVersionProvider {

	private StandaloneVersion() {
	}

	static String text() {
		String version = StateStoreBroker.class.getPackage().getImplementationVersion();
		return (version != null) ? version : "(version unknown)";
	}

	@Override
	public String[] getVersion() {
		return new String[] { "State Store broker " + text() };
	}

}
