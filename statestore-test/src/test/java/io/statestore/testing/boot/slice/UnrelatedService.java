package io.statestore.testing.boot.slice;

import org.springframework.stereotype.Service;

/** Component that a {@code @StateStoreTest} does not include. */
@Service
class UnrelatedService {

}
