package io.statestore.test;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Evaluates {@link RequiresProgram}. */
final class RequiresProgramCondition implements ExecutionCondition {

	/** Debian packages by program, where the names differ. */
	private static final Map<String, String> PACKAGES = Map.of("mosquitto_passwd", "mosquitto", "mosquitto_pub",
			"mosquitto-clients", "mosquitto_rr", "mosquitto-clients", "chromedriver", "chromium-driver", "gcc",
			"gcc libc6-dev");

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		Optional<RequiresProgram> annotation = AnnotationSupport.findAnnotation(context.getElement(),
				RequiresProgram.class);
		String missing = Stream.of(annotation.map(RequiresProgram::value).orElse(new String[0]))
			.filter((program) -> Programs.find(program).isEmpty())
			.map((program) -> PACKAGES.getOrDefault(program, program))
			.distinct()
			.collect(Collectors.joining(" "));
		if (missing.isEmpty()) {
			return ConditionEvaluationResult.enabled("All programs are installed");
		}
		String test = context.getRequiredTestClass().getSimpleName()
				+ context.getTestMethod().map((method) -> '.' + method.getName()).orElse("");
		String reason = test + " needs programs that are not installed: apt-get install " + missing;
		System.err.println("WARNING: SKIPPED. " + reason);
		return ConditionEvaluationResult.disabled(reason);
	}

}
