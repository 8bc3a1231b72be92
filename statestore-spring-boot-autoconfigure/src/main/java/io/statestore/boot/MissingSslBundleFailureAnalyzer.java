package io.statestore.boot;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.core.env.Environment;

/** Failure analyzer for a missing SSL bundle in {@code statestore.ssl.bundle}. */
class MissingSslBundleFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchSslBundleException> {

	private static final String PROPERTY = "statestore.ssl.bundle";

	private final Environment environment;

	MissingSslBundleFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchSslBundleException cause) {
		String bundle = cause.getBundleName();
		if (!bundle.equals(this.environment.getProperty(PROPERTY))) {
			return null;
		}
		return new FailureAnalysis(
				"The property '" + PROPERTY + "' names the SSL bundle '" + bundle + "', which does not exist.",
				"Configure the bundle with spring.ssl.bundle.pem." + bundle + ".* or spring.ssl.bundle.jks." + bundle
						+ ".*, or change '" + PROPERTY + "' to the name of an existing bundle.",
				cause);
	}

}
