require "rails"

module Shop
  class Application < Rails::Application
    config.load_defaults 8.0
  end
end
