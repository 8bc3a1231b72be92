package io.statestore.broker.conformance;

import io.statestore.protocol.WireForm;

/** The embedded broker in the form of the published articles. */
class ArticlesFormConformanceTests extends EmbeddedBrokerConformanceTests {

	@Override
	WireForm wireForm() {
		return WireForm.ARTICLES;
	}

}
