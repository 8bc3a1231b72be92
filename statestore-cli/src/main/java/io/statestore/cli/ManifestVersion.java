package io.statestore.cli;

import picocli.CommandLine.IVersionProvider;

/** Provider of the version in the manifest. */
final class ManifestVersion implements IVersionProvider {

	@Override
	public String[] getVersion() {
		String version = ManifestVersion.class.getPackage().getImplementationVersion();
		return new String[] { "statestore " + ((version != null) ? version : "(version unknown)") };
	}

}
