package io.statestore.boot;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.core.env.Environment;

/** Failure analyzer for a missing SSL bundle of the client or the embedded broker. */
class MissingSslBundleFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchSslBundleException> {

	private static final List<String> PROPERTIES = List.of("statestore.ssl.bundle", "statestore.embedded.ssl.bundle");

	private final Environment environment;

	MissingSslBundleFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchSslBundleException cause) {
		String bundle = cause.getBundleName();
		String property = PROPERTIES.stream()
			.filter((name) -> bundle.equals(this.environment.getProperty(name)))
			.findFirst()
			.orElse(null);
		if (property == null) {
			return null;
		}
		return new FailureAnalysis(
				"The property '" + property + "' names the SSL bundle '" + bundle + "', which does not exist.",
				"Configure the bundle with spring.ssl.bundle.pem." + bundle + ".* or spring.ssl.bundle.jks." + bundle
						+ ".*, or change '" + property + "' to the name of an existing bundle.",
				cause);
	}

}
