package io.statestore.mqtt;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/** Dependencies of this module, which must not depend on the state store. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.mqtt";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.importUrl(BrokerConnection.class.getProtectionDomain().getCodeSource().getLocation());

	@Test
	void dependsOnlyOnJdkAndNetty() {
		classes().that()
			.resideInAPackage(OURS)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS, "java..", "javax.net.ssl..", "io.netty..", "org.jspecify.annotations")
			.check(CLASSES);
	}

	@Test
	void filesHaveNoLargeCycles() {
		FileCycles.noCycleOfMoreThanTwoFiles(OURS).check(CLASSES);
	}

}
