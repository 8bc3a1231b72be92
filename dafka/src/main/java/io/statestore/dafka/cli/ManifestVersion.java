package io.statestore.dafka.cli;

import picocli.CommandLine.IVersionProvider;

/** Provider of the version in the manifest. */
final class ManifestVersion implements IVersionProvider {

	@Override
	public String[] getVersion() {
		String version = ManifestVersion.class.getPackage().getImplementationVersion();
		return new String[] { "dafka " + ((version != null) ? version : "(version unknown)") };
	}

}
