package io.statestore.broker;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.statestore.test.FileCycles.noCycleOfMoreThanTwoFiles;

/** Dependencies between the packages of this module, and on libraries. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.broker";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.importUrl(StateStoreBroker.class.getProtectionDomain().getCodeSource().getLocation());

	@Test
	void storeDoesNotUseTransport() {
		noClasses().that()
			.resideInAnyPackage(OURS + ".engine..", OURS + ".session..", OURS + ".server..", OURS + ".memory..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS + ".mqtt..", OURS + ".packet..", OURS + ".gateway..", "io.netty..")
			.check(CLASSES);
	}

	@Test
	void needsNoCommandLineLibraries() {
		noClasses().should().dependOnClassesThat().resideInAnyPackage("picocli..", "ch.qos.logback..").check(CLASSES);
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching(OURS + ".(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void filesHaveNoCycles() {
		noCycleOfMoreThanTwoFiles(OURS + "..").check(CLASSES);
	}

}
