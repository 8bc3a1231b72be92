package io.statestore.broker;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.statestore.test.FileCycles.noCycleOfMoreThanTwoFiles;

/** Dependencies between the packages of this module, and on libraries. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.broker";

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(OURS);

	@Test
	void onlyArtemisPackagesUseArtemis() {
		noClasses().that()
			.resideOutsideOfPackage(OURS + ".artemis..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.apache.activemq..")
			.check(this.classes);
	}

	@Test
	void artemisPackagesKnowNoMqttServer() {
		noClasses().that()
			.resideInAPackage(OURS + ".artemis..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS, OURS + ".mqtt..", OURS + ".gateway..", OURS + ".engine..")
			.check(this.classes);
	}

	@Test
	void storeKnowsNoTransport() {
		noClasses().that()
			.resideInAnyPackage(OURS + ".engine..", OURS + ".server..", OURS + ".memory..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS + ".artemis..", OURS + ".mqtt..", OURS + ".packet..", OURS + ".gateway..",
					"io.netty..")
			.check(this.classes);
	}

	@Test
	void needsNoLibrariesOfTheCommandLine() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("picocli..", "ch.qos.logback..")
			.check(this.classes);
	}

	@Test
	void packagesAreFreeOfCycles() {
		slices().matching(OURS + ".(**)").should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void filesAreFreeOfCycles() {
		noCycleOfMoreThanTwoFiles(OURS + "..").check(this.classes);
	}

}
